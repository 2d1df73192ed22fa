// Whom the file adds, also those beyond the most of this run. A Retry would add them once more.
const { added, execution } = jsonsOf('Select Recipients').at(-1);
// A table of an earlier campaign may have no column for names.
const { columns } = jsonsOf('Create Table If Missing')[0];
const isNamed = columns.some(({ name }) => name === 'name');
return execution === $execution.id
	? added.map(({ name, ...json }) => ({ json: isNamed ? { ...json, name } : json }))
	: [];
