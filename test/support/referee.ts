import { readFileSync } from 'node:fs';
import { createOpenApiReferee } from '../../fakes/github/openapi-referee.ts';
import { parseJson } from '../../src/lib/trust.ts';

/** The reduced description of GitHub's API. */
export const description = parseJson(readFileSync(new URL('../fixtures/openapi/github.json', import.meta.url), 'utf8'));

/** Holds to what GitHub publishes. One for all files of a worker: its schemas take seconds to compile. */
export const referee = createOpenApiReferee(description);
