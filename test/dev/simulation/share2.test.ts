import { testShare } from './property';

testShare(2);
