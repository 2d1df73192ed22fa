import { PackageDirectoryLoader } from 'n8n-core';
import {
	NodeHelpers,
	type ICredentialType,
	type INodeType,
	type INodeTypes,
	type IVersionedNodeType,
} from 'n8n-workflow';

import { projectRoot } from '../projectRoot';
import { standIns } from './standIns';

/** The node types of the built package, loaded by its package.json as n8n does, and the stand-ins. */
export class NodeTypes implements INodeTypes {
	private constructor(private readonly loader: PackageDirectoryLoader) {}

	static async load(): Promise<NodeTypes> {
		const loader = new PackageDirectoryLoader(projectRoot);
		await loader.loadAll();
		return new NodeTypes(loader);
	}

	getByName(type: string): INodeType | IVersionedNodeType {
		const [packageName, name = ''] = type.split('.');
		// n8n derives a tool from each node that is usable as one, and ends its name so (n8n 2.40.7,
		// tool-generation/ai-tools.js).
		const nodeType =
			packageName === this.loader.packageName
				? this.loader.getNode(name.replace(/Tool$/, '')).type
				: standIns.get(type);
		if (!nodeType) throw new Error(`There is no stand-in for the node type ${type}`);
		return nodeType;
	}

	getByNameAndVersion(type: string, version?: number): INodeType {
		return NodeHelpers.getVersionedNodeType(this.getByName(type), version);
	}

	getKnownTypes() {
		return this.loader.known.nodes;
	}

	getCredential(name: string): ICredentialType {
		return this.loader.getCredential(name).type;
	}
}
