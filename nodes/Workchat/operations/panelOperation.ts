import type { INodeProperties } from 'n8n-workflow';

import type { Operation } from '../execution/operation';
import type { Field, FieldGroup } from './fields/field';

/** An operation as the panel offers it. */
export interface PanelOperation extends Operation {
	/** Title Case. */
	name: string;
	/** Sentence case, for the list of actions. */
	action: string;
	description: string;
	/** The request's fields, beside the instance. */
	fields: Field[];
	/** Fields that belong together, under one name. */
	content?: FieldGroup;
	/** Shown for this operation only. */
	parameters: INodeProperties[];
}
