import { strict as assert } from 'node:assert';
import { gunzipSync, gzipSync } from 'node:zlib';
import { fetchArchive } from '../../src/adapters/github/repository.ts';
import { UnusableResponseError } from '../../src/adapters/model/error-meanings.ts';
import { createDeltaMerger } from '../../src/adapters/model/merge-delta.ts';
import { MAX_OPAQUE_BYTES, readOpaqueMembers } from '../../src/adapters/model/opaque-members.ts';
import { parseResponse } from '../../src/adapters/model/wire-format.ts';
import { explainDelivery } from '../../src/cli/explain/explanation.ts';
import { parseDelivery, tryParseJson } from '../../src/cli/explain/read-delivery.ts';
import { formatExplanation } from '../../src/cli/explain/text.ts';
import { parseCommit } from '../../src/cli/git/objects.ts';
import { parseCall } from '../../src/core/agent/tools/parse-call.ts';
import { COMMAND_GRAMMAR } from '../../src/core/commands/all-commands.ts';
import { parseComment } from '../../src/core/comments/parse-comment.ts';
import { applyUnifiedDiff, parseHunks } from '../../src/core/edits/text/hunks.ts';
import { findShownDigest } from '../../src/core/messages/proposal/shown-change.ts';
import { findChangeTrailers, parseTrailerGroups } from '../../src/core/policy/commit-message.ts';
import { parseSettings } from '../../src/core/settings/repo-settings.ts';
import { TOOL_NAMES } from '../../src/core/state/tools.ts';
import { GitHubError } from '../../src/core/step/ports.ts';
import { contentKey, interpret } from '../../src/core/webhooks/interpret.ts';
import { redactDiff } from '../../src/lib/redaction.ts';
import { isRecord, parseJson } from '../../src/lib/trust.ts';
import { bigint, proposal, total } from '../../test/unit/core/messages/sample.ts';
import * as seeds from './seeds.ts';

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

const APP = { appId: 1, botId: 2, slug: 'countersign' };

/** Control characters that a terminal would obey. Line breaks and tabs are harmless. */
const TERMINAL_CONTROLS = /(?![\t\n\r])\p{Cc}/u;

export const READERS: readonly Reader[] = [
  textReader('webhook', 'json', () => seeds.deliveryFiles(), checkDelivery),
  textReader('comment', 'text', () => seeds.comments(), checkComment),
  { name: 'settings', form: 'text', seeds: () => seeds.SETTINGS_FILES, check: checkSettings },
  textReader('diff', 'text', () => seeds.DIFFS, checkDiff),
  textReader('trailers', 'text', () => seeds.commitMessages(), checkTrailers),
  { name: 'commit-object', form: 'text', seeds: () => seeds.COMMIT_OBJECTS, check: (input) => void parseCommit(input) },
  textReader('posted-page', 'text', () => seeds.PAGES, checkPage),
  textReader('model-response', 'json', () => seeds.MODEL_RESPONSES, checkModelResponse),
  textReader('tool-arguments', 'json', () => seeds.TOOL_ARGUMENTS, checkToolArguments),
  { name: 'archive', form: 'gzip', seeds: async () => [await seeds.archive()], check: checkArchive },
];

function textReader(
  name: string,
  form: 'text' | 'json',
  readSeeds: () => readonly string[],
  check: (text: string) => void,
): Reader {
  return { name, form, seeds: readSeeds, check: (input) => check(input.toString('utf8')) };
}

/** A webhook body has one outcome, and its explanation cannot control a terminal. */
function checkDelivery(text: string): void {
  const delivery = parseDelivery(text, null);
  if (delivery.kind === 'refused') {
    assert.doesNotMatch(delivery.problem, TERMINAL_CONTROLS);
    return;
  }
  const { event, payload } = delivery.value;
  const interpretation = interpret({ event, payload, app: APP });
  JSON.stringify(interpretation);
  if (interpretation.kind === 'intent') {
    contentKey(interpretation.intent);
    const { installationId, repositoryId, number } = interpretation.intent.pull;
    for (const id of [installationId, repositoryId, number, interpretation.intent.actor.id])
      assert.ok(Number.isSafeInteger(id) && id > 0, `not an id: ${id}`);
  }
  assert.doesNotMatch(formatExplanation(explainDelivery(delivery.value, APP)), TERMINAL_CONTROLS);
}

/** A comment whose every line is quoted, and one inside a code block, is never a command. */
function checkComment(body: string): void {
  parseComment(COMMAND_GRAMMAR, body, APP.slug);
  const lines = body.split(/\r\n|\n|\r/);
  assertNoCommand(lines.map((line) => `> ${line}`).join('\n'), 'quoted');
  const fence = '`'.repeat(5 + Math.max(0, ...[...body.matchAll(/`+/g)].map(([run]) => run.length)));
  assertNoCommand(`${fence}\n${lines.join('\n')}\n${fence}`, 'in a code block');
}

function assertNoCommand(body: string, how: string): void {
  const { parsed } = parseComment(COMMAND_GRAMMAR, body, APP.slug);
  assert.notEqual(parsed.kind, 'command', `${how}, it is a command`);
}

/** A file is broken with problems of one line each, or gives the same settings again with a comment below it. */
function checkSettings(bytes: Buffer): void {
  const reading = parseSettings({ kind: 'file', bytes });
  if (reading.kind === 'broken') {
    assert.ok(reading.problems.length > 0);
    for (const problem of reading.problems) assert.match(problem, /^(?:line \d+: .+|and \d+ more)$/s);
    for (const problem of reading.problems) assert.doesNotMatch(problem, /[\r\n]/);
    return;
  }
  const again = parseSettings({ kind: 'file', bytes: Buffer.concat([bytes, Buffer.from('\n# end\n')]) });
  if (again.kind === 'settings') assert.deepEqual(again.settings, reading.settings);
}

/** The hunks have as many lines as they say, and hiding secrets changes neither their number nor the rows' signs. */
function checkDiff(diff: string): void {
  for (const { lines, oldLines, newLines } of parseHunks(diff)) {
    assert.equal(lines.filter(({ kind }) => kind !== 'added').length, oldLines);
    assert.equal(lines.filter(({ kind }) => kind !== 'removed').length, newLines);
  }
  applyUnifiedDiff(total, diff);
  assert.equal(redactDiff(diff).split('\n').length, diff.split('\n').length);
}

/** Trailers are well formed, and those of a complete change are among the groups. */
function checkTrailers(message: string): void {
  const groups = parseTrailerGroups(message);
  for (const { proposalId, digest } of findChangeTrailers(message)) {
    assert.match(proposalId, /^[a-z0-9]{4,6}$/);
    assert.match(digest, /^[0-9a-f]{64}$/);
    assert.ok(groups.some((group) => group.proposalId === proposalId && group.digest === digest));
  }
  for (const { approvedBy } of groups) assert.equal(new Set(approvedBy).size, approvedBy.length);
}

/** A page shows the stored change or nothing. */
function checkPage(body: string): void {
  const digest = findShownDigest({ proposal: proposal(bigint), bodies: [body] });
  assert.ok(digest === null || digest === bigint.digest);
}

/** Where the fuzzed responses come from. */
const MODEL_ADDRESS = { model: 'm', endpoint: 'https://models.example/v1' };

/** A response is invalid, or its calls have different ids and each can be parsed; its other members are bounded. */
function checkModelResponse(text: string): void {
  const body = tryParseJson(text);
  const reading = readOpaqueMembers(body, MODEL_ADDRESS);
  if (reading.kind === 'kept') assert.ok(JSON.stringify(reading.opaque).length < 2 * MAX_OPAQUE_BYTES);
  checkMerge(body);
  const response = parseResponse(body);
  if (response === null) return;
  const ids = response.toolCalls.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const call of response.toolCalls) parseCall(call);
}

/** A merged answer is JSON again, or an error that a retry can mend. */
function checkMerge(body: unknown): void {
  const merger = createDeltaMerger();
  try {
    for (const delta of [body, body]) merger.add(delta);
    JSON.stringify(merger.value());
  } catch (error) {
    assert.ok(error instanceof UnusableResponseError, String(error));
  }
}

/** Arguments give a call of the same tool, or a refusal that quotes little of them. */
function checkToolArguments(text: string): void {
  for (const name of TOOL_NAMES) {
    const parsed = parseCall({ name, arguments: text });
    if (parsed.kind === 'call') assert.equal(parsed.call.tool, name);
    else assert.ok(parsed.output.length < 3_000, `a refusal of ${parsed.output.length} characters`);
  }
}

/** An archive gives files, is too large, or fails as an error of GitHub. */
async function checkArchive(bytes: Buffer): Promise<void> {
  const body = new Blob([new Uint8Array(bytes)]).stream();
  const client = { rest: { repos: { downloadTarballArchive: async () => ({ data: body }) } } };
  const read = (send: (one: typeof client) => Promise<unknown>) => send(client);
  const connection = Object.assign(Object.create(null), { ref: { owner: 'acme', repo: 'shop' }, read });
  try {
    for (const [path, file] of (await fetchArchive(connection, 'c'.repeat(40))) ?? [])
      assert.ok(typeof path === 'string' && file instanceof Uint8Array);
  } catch (error) {
    assert.ok(error instanceof GitHubError, String(error));
  }
}

/** The text of a packed input, or null if it is not packed. Changes inside reach deeper than changes outside. */
export function unpack(input: Buffer): Buffer | null {
  try {
    return gunzipSync(input);
  } catch {
    return null;
  }
}

export function repack(bytes: Buffer): Buffer {
  return gzipSync(bytes, { level: 1 });
}

/** The value of a JSON input; undefined if it is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    const value = parseJson(text);
    return isRecord(value) || Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
