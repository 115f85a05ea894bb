import { readFileSync } from 'node:fs';
import { createOpenApiValidator } from '../../fakes/github/openapi-validator.ts';
import { parseJson } from '../../src/lib/trust.ts';

/** The reduced description of GitHub's API. */
export const description = parseJson(readFileSync(new URL('../fixtures/openapi/github.json', import.meta.url), 'utf8'));

/** One validator for all files of a worker, because its schemas take seconds to compile. */
export const openApiValidator = createOpenApiValidator(description);
