import { testShare } from './share';

testShare(1);
