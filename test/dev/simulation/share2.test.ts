import { testShare } from './share';

testShare(2);
