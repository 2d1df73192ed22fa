import { testShare } from './share';

testShare(4);
