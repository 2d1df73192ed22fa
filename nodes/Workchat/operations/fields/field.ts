import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/** A field of a request body, and the parameter of the same name in which it is filled in. */
export interface Field {
	/** As the service names it. */
	name: string;
	/** Title Case, for the panel; it is found by this name, too. */
	label: string;
	/**
	 * `integer` goes over the wire as a number, all others as a string. White space around an `id` or
	 * a `url` is never meant, and removed.
	 */
	type: 'text' | 'id' | 'url' | 'integer';
	/** Of a text: whether it is often all digits, so that a spreadsheet may have rounded it. */
	isNumberLike?: boolean;
	/** Whether its value may stand in no error. Of a URL, its query never does. */
	isSecret?: boolean;
	/** All values that are allowed, where the service documents them. */
	options?: Array<INodePropertyOptions & { value: number }>;
	placeholder?: string;
	description?: string;
}

/** Fields that a user fills in one by one, hands over together as JSON, or has found in the item. */
export interface FieldGroup {
	/** Of the parameter that takes the JSON: `feedVideo`. The one that chooses is `specifyFeedVideo`. */
	name: string;
	/** Title Case. */
	displayName: string;
	fields: Field[];
	/** Whether the trigger looks for it in callbacks. */
	comesWithCallbacks?: boolean;
	/** What to know of all fields together, shown above them. */
	notice?: string;
}

export function parameterOf(field: Field): INodeProperties {
	const { name, label, placeholder, description, options } = field;
	return {
		displayName: label,
		name,
		...typeOf(field),
		required: true,
		...(options && {
			options: options.map(({ name, value }) => ({ name: `${name} (${value})`, value })),
		}),
		...(placeholder && { placeholder }),
		...(description && { description }),
	};
}

/** None is filled in beforehand: what nobody chose is no value. */
function typeOf({ type, options }: Field): Pick<INodeProperties, 'type' | 'default'> {
	if (options) return { type: 'options', default: '' };
	return { type: type === 'integer' ? 'number' : 'string', default: '' };
}
