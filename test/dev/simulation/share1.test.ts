import { testShare } from './property';

testShare(1);
