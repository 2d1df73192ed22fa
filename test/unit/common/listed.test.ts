import { listed } from '../../../nodes/Workchat/common/listed';

test.each([
	[2, '1, 2 and 1 more'],
	[3, '1, 2, 3'],
])('of three values, %d at most are listed as %s', (most, words) => {
	expect(listed([1, 2, 3], most)).toBe(words);
});
