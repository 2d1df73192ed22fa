import { testHttpRequest } from '../support/httpRequest';
import { useN8n } from '../support/setup';

const here = useN8n();

/** The journey of the credential has the version that n8n takes today. */
describe.each([2, 3, 4.2])("n8n's HTTP Request %s with our credential", (version) =>
	testHttpRequest(here, version),
);
