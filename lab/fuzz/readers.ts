import { checkCommitObject, checkDiff, checkPage, checkTrailers } from './change-promises.ts';
import { checkArchive, checkCodeOwners, checkSettings, checkSyntax } from './file-promises.ts';
import { checkEventStream, checkModelResponse, checkToolArguments } from './model-promises.ts';
import * as seeds from './seeds.ts';
import { checkComment, checkDelivery, checkSignedBody } from './webhook-promises.ts';

/** A function of the product that reads bytes of strangers. */
export type Reader = {
  readonly name: string;
  /** How inputs are changed. A `json` input changes by values, and sometimes as text. */
  readonly form: 'text' | 'json' | 'gzip';
  /** Valid inputs to start from. */
  readonly seeds: () => readonly string[] | Promise<readonly Buffer[]>;
  /** Reads an input. Throws if the reader throws, or if its result breaks a promise. */
  readonly check: (input: Buffer) => void | Promise<void>;
};

export const READERS: readonly Reader[] = [
  textReader('webhook', 'json', () => seeds.deliveryFiles(), checkDelivery),
  {
    name: 'signed-webhook',
    form: 'json',
    seeds: () => seeds.webhookBodies(),
    check: (input) => checkSignedBody(input),
  },
  textReader('comment', 'text', () => seeds.comments(), checkComment),
  { name: 'settings', form: 'text', seeds: () => seeds.SETTINGS_FILES, check: (input) => checkSettings(input) },
  { name: 'code-owners', form: 'text', seeds: () => seeds.CODEOWNERS_FILES, check: (input) => checkCodeOwners(input) },
  textReader('diff', 'text', () => seeds.DIFFS, checkDiff),
  textReader('trailers', 'text', () => seeds.commitMessages(), checkTrailers),
  {
    name: 'commit-object',
    form: 'text',
    seeds: () => seeds.COMMIT_OBJECTS,
    check: (input) => checkCommitObject(input),
  },
  textReader('posted-page', 'text', () => seeds.PAGES, checkPage),
  textReader('syntax', 'text', () => seeds.SOURCE_FILES, checkSyntax),
  textReader('model-response', 'json', () => seeds.MODEL_RESPONSES, checkModelResponse),
  textReader('event-stream', 'text', () => seeds.EVENT_STREAMS, checkEventStream),
  textReader('tool-arguments', 'json', () => seeds.TOOL_ARGUMENTS, checkToolArguments),
  { name: 'archive', form: 'gzip', seeds: async () => [await seeds.archive()], check: (input) => checkArchive(input) },
];

function textReader(
  name: string,
  form: 'text' | 'json',
  readSeeds: () => readonly string[],
  check: (text: string) => void | Promise<void>,
): Reader {
  return { name, form, seeds: readSeeds, check: (input) => check(input.toString('utf8')) };
}
