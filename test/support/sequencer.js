const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * What takes longest begins first, so that no core waits for it in the end. Jest knows that only where it
 * ran before: in a fresh clone it goes by the size of files, and the simulation's are small.
 */
module.exports = class extends Sequencer {
	sort(tests) {
		const isLong = ({ path }) => path.includes('simulation');
		const sorted = super.sort(tests);
		return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
	}
};
