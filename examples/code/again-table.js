// Before each portion, both tables are asked again: for new entries, and whether they are still there.
const LOOKS = 'Look Again';
const look = ({ id, unwantedId, since }) => [
	{ tableId: unwantedId, column: 'updatedAt', condition: 'gte', value: since },
	{ tableId: id, column: 'id', condition: 'eq', value: 0 }, // there is no row 0
];
const newEntries = (begin) => {
	const found = $(LOOKS)
		.all()
		.map(({ json }) => json);
	const failed = found.find(({ id, error }) => error !== undefined && typeof id !== 'number');
	if (failed) {
		const { error } = failed;
		throw new Error(
			`${begin} A table of the campaign is gone or cannot be read: ${error.message ?? error}`,
		);
	}
	return found
		.filter(({ id }) => typeof id === 'number')
		.map(({ id, toId }) => ({ row: id, toId }));
};
const cellsToWrite = () => undefined;
