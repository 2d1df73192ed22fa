import axios, { type AxiosInstance } from 'axios';

import type { Sandbox } from '../dev/sandbox/server';

/** Clients of a sandbox without and with its API key, which take every answer as it is. */
export function clientsOf({ url, key }: Sandbox): { anyone: AxiosInstance; client: AxiosInstance } {
	const defaults = { baseURL: url, validateStatus: () => true, maxRedirects: 0 };
	return {
		anyone: axios.create(defaults),
		client: axios.create({ ...defaults, headers: { 'X-Service-Key': key } }),
	};
}
