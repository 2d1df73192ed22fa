import { testShare } from './share';

testShare(3);
