import { Readable } from 'node:stream';
import { fetchArchive } from '../../src/adapters/github/repository.ts';
import { createWebhookHandler } from '../../src/adapters/http/webhook-endpoint.ts';
import { createDeltaMerger } from '../../src/adapters/model/merge-delta.ts';
import { readEvents } from '../../src/adapters/model/server-sent-events.ts';
import { parseResponse } from '../../src/adapters/model/wire-format.ts';
import { findNewSyntaxError } from '../../src/adapters/syntax/new-syntax-error.ts';
import { parseCommit } from '../../src/cli/git/objects.ts';
import { parseCall, type RawToolCall } from '../../src/core/agent/tools/parse-call.ts';
import { parseComment } from '../../src/core/comments/parse-comment.ts';
import { applyUnifiedDiff, parseHunks } from '../../src/core/edits/text/hunks.ts';
import { findShownDigest } from '../../src/core/messages/proposal/shown-change.ts';
import { findOwners } from '../../src/core/policy/code-owners.ts';
import { parseTrailerGroups } from '../../src/core/policy/commit-message.ts';
import { parseSettings } from '../../src/core/settings/repo-settings.ts';
import { SETTING_KEYS } from '../../src/core/settings/settings-schema.ts';
import { interpret } from '../../src/core/webhooks/interpret.ts';
import { redactDiff } from '../../src/lib/redaction.ts';
import { parseJson } from '../../src/lib/trust.ts';
import {
  checkCommitObject,
  checkDiff,
  checkPage,
  checkTrailers,
  DIFF_READERS,
  SHOWN_LINES,
  TRAILER_READERS,
} from './change-promises.ts';
import { checkArchive, checkCodeOwners, checkSettings, checkSyntax } from './file-promises.ts';
import { checkEventStream, checkModelResponse, checkToolArguments, RESPONSE_READERS } from './model-promises.ts';
import { jsonOf } from './mutate.ts';
import type { Reader } from './readers.ts';
import { checkComment, checkDelivery, checkSignedBody } from './webhook-promises.ts';

/** A reader with a deliberate mistake. Its promise must notice it. */
type ReaderMutant = { readonly name: string; readonly check: Reader['check'] };

/** Mutants by the name of their reader. */
export const READER_MUTANTS: Readonly<Record<string, readonly ReaderMutant[]>> = {
  webhook: [
    ofText('a bot counts as a person', checkDelivery, (delivery) =>
      interpret({ ...delivery, payload: withText(delivery.payload, '"type":"Bot"', '"type":"User"') }),
    ),
    ofText('what an App wrote counts as a person’s words', checkDelivery, (delivery) =>
      interpret({ ...delivery, payload: withText(delivery.payload, '"performed_via_github_app"', '"unknown"') }),
    ),
    ofText('the pull request is another one', checkDelivery, (delivery) => {
      const read = interpret(delivery);
      if (read.kind !== 'intent') return read;
      return { ...read, intent: { ...read.intent, pull: { ...read.intent.pull, number: 1 } } };
    }),
    ofText('every delivery is ignored', checkDelivery, () => ({ kind: 'ignored', reason: 'unknown-event' })),
  ],
  'signed-webhook': [
    ofBytes('another secret is accepted', checkSignedBody, (options) =>
      createWebhookHandler({ ...options, secrets: [...options.secrets, 'another secret'] }),
    ),
    ofBytes('a delivery arrives twice', checkSignedBody, ({ deliver, ...options }) =>
      createWebhookHandler({
        ...options,
        deliver: async (event) => {
          await deliver(event);
          await deliver(event);
        },
      }),
    ),
  ],
  comment: [
    ofText('a quoted command counts', checkComment, (grammar, body, slug) =>
      parseComment(grammar, body.replace(/^> /gm, ''), slug),
    ),
    ofText('a command in code counts', checkComment, (grammar, body, slug) =>
      parseComment(grammar, body.replace(/^`{3,}$/gm, ''), slug),
    ),
    ofText('only a comment of one line has a command', checkComment, (grammar, body, slug) =>
      parseComment(grammar, body.includes('\n') ? '' : body, slug),
    ),
  ],
  settings: [
    ofBytes('unknown keys are ignored', checkSettings, (found) =>
      parseSettings(withLines(found, (lines) => lines.filter((line) => isKnownKey(keyOf(line))))),
    ),
    ofBytes('the last of two equal keys counts', checkSettings, (found) =>
      parseSettings(
        withLines(found, (lines) => lines.filter((line, at) => !isRepeated(keyOf(line), lines.slice(at + 1)))),
      ),
    ),
    ofBytes('the number of approvals has no effect', checkSettings, (found) => {
      const reading = parseSettings(found);
      return { ...reading, settings: { ...reading.settings, requiredApprovals: 1 } };
    }),
    ofBytes('every file is broken', checkSettings, (found) => ({
      ...parseSettings(found),
      kind: 'broken',
      problems: ['line 1: no'],
    })),
  ],
  'code-owners': [
    ofBytes('the first line wins', checkCodeOwners, ({ bytes, paths }) =>
      findOwners({ bytes: withOwnersLines(bytes, (lines) => lines.reverse()), paths }),
    ),
    ofBytes('a line without owners has no effect', checkCodeOwners, ({ bytes, paths }) =>
      findOwners({ bytes: withOwnersLines(bytes, (lines) => lines.filter((line) => line.includes('@'))), paths }),
    ),
    ofBytes('a star matches below directories', checkCodeOwners, ({ bytes, paths }) =>
      findOwners({
        bytes: Buffer.from(
          Buffer.from(bytes)
            .toString()
            .replace(/\/\*(?=\s)/g, '/'),
        ),
        paths,
      }),
    ),
    ofBytes('nobody owns anything', checkCodeOwners, () => ({ owners: {}, invalidLines: 0 })),
  ],
  diff: [
    ofText('a hidden row of a key loses its sign', checkDiff, {
      ...DIFF_READERS,
      redactDiff: (diff) => redactDiff(diff).replace(/^[-+ ](?=\[redacted\])/gm, ''),
    }),
    ofText('the rows of a key are shown', checkDiff, { ...DIFF_READERS, redactDiff: (diff) => diff }),
    ofText('added rows count as removed', checkDiff, {
      ...DIFF_READERS,
      parseHunks: (diff) =>
        parseHunks(diff).map((hunk) => ({
          ...hunk,
          lines: hunk.lines.map((line) => (line.kind === 'added' ? { ...line, kind: 'removed' } : line)),
        })),
    }),
    ofText('the last hunk is lost', checkDiff, {
      ...DIFF_READERS,
      parseHunks: (diff) => parseHunks(diff).slice(0, -1),
    }),
    ofText('the old lines are not compared', checkDiff, {
      ...DIFF_READERS,
      applyUnifiedDiff: (text, diff) => applyUnifiedDiff(text, diff) ?? applyUnifiedDiff(oldSideOf(diff), diff),
    }),
  ],
  trailers: [
    ofText('an impossible group has no problem', checkTrailers, {
      ...TRAILER_READERS,
      parseTrailerGroups: (message) => parseTrailerGroups(message).map((group) => ({ ...group, problem: null })),
    }),
    ofText('a second digest is not looked at', checkTrailers, {
      ...TRAILER_READERS,
      parseTrailerGroups: (message) =>
        parseTrailerGroups(message).map(({ problem, ...group }) => ({
          ...group,
          problem: problem === 'it has two digests' ? null : problem,
        })),
    }),
    ofText('no change is found', checkTrailers, { ...TRAILER_READERS, findChangeTrailers: () => [] }),
  ],
  'commit-object': [
    ofBytes('every commit is signed', checkCommitObject, (bytes) => ({ ...parseCommit(bytes), isSigned: true })),
    ofBytes('a signature in the message counts', checkCommitObject, (bytes) => ({
      ...parseCommit(bytes),
      isSigned: /^gpgsig /m.test(Buffer.from(bytes).toString('latin1')),
    })),
  ],
  'posted-page': [
    ofText('the page is not compared with the change', checkPage, ({ proposal }) => proposal.change.digest),
    ofText('spaces of a shown line do not count', checkPage, ({ proposal, bodies }) =>
      findShownDigest({ proposal, bodies: bodies.map(withShownSpaces) }),
    ),
    ofText('no page shows the change', checkPage, () => null),
  ],
  syntax: [
    ofText('every text is accepted', checkSyntax, async () => null),
    ofText('the line is that of another text', checkSyntax, async (versions) => {
      const problem = await findNewSyntaxError(versions);
      return problem === null ? null : { ...problem, line: problem.line + 1_000 };
    }),
    ofText('a text that was broken before counts', checkSyntax, ({ path, after }) =>
      findNewSyntaxError({ path, before: null, after }),
    ),
  ],
  'model-response': [
    ofText('an invalid response counts as an empty one', checkModelResponse, {
      ...RESPONSE_READERS,
      parseResponse: (body) => parseResponse(body) ?? parseResponse({ choices: [{ message: {} }] }),
    }),
    ofText('a call has another id', checkModelResponse, {
      ...RESPONSE_READERS,
      parseResponse: (body) => {
        const response = parseResponse(body);
        if (response === null) return null;
        return { ...response, toolCalls: response.toolCalls.map((call, at) => ({ ...call, id: `call_${at}` })) };
      },
    }),
    ofText('what nobody reads is not kept', checkModelResponse, {
      ...RESPONSE_READERS,
      readOpaqueMembers: () => ({ kind: 'none' }),
    }),
    ofText('a piece replaces what came before', checkModelResponse, {
      ...RESPONSE_READERS,
      createDeltaMerger: () => {
        let last = createDeltaMerger();
        return {
          add: (delta) => {
            last = createDeltaMerger();
            last.add(delta);
          },
          value: () => last.value(),
        };
      },
    }),
  ],
  'event-stream': [
    ofText('each piece is a text of its own', checkEventStream, async function* (body) {
      for await (const piece of body) yield* readEvents(Readable.from([piece]));
    }),
    ofText('an event has no name', checkEventStream, async function* (body) {
      for await (const { data } of readEvents(body)) yield { name: null, data };
    }),
    ofText('an event has one line of data', checkEventStream, async function* (body) {
      for await (const { name, data } of readEvents(body)) yield { name, data: data.replace(/\n.*/s, '') };
    }),
  ],
  'tool-arguments': [
    ofText('unknown arguments are ignored', checkToolArguments, (call) =>
      parseCall({ ...call, arguments: call.arguments.replace(/"unknown_option":"x",?/, '') }),
    ),
    ofText('the last of two equal arguments counts', checkToolArguments, (call) => parseCall(rewritten(call))),
    ofText('a path loses its upper case', checkToolArguments, (call) => {
      const parsed = parseCall(call);
      if (parsed.kind === 'refused' || !('path' in parsed.call) || parsed.call.path === null) return parsed;
      return parseCall({
        ...call,
        arguments: call.arguments.replace(parsed.call.path, parsed.call.path.toUpperCase()),
      });
    }),
  ],
  archive: [
    ofBytes('no size is too large', checkArchive, async (...request) => (await fetchArchive(...request)) ?? new Map()),
    ofBytes('a content is cut', checkArchive, async (...request) => {
      const files = await fetchArchive(...request);
      return files === null ? null : new Map([...files].map(([path, bytes]) => [path, bytes.subarray(0, 3)]));
    }),
  ],
};

type Check<Input, Mistaken> = (input: Input, read: Mistaken) => void | Promise<void>;

function ofText<Mistaken>(name: string, check: Check<string, Mistaken>, read: NoInfer<Mistaken>): ReaderMutant {
  return { name, check: (input) => check(input.toString('utf8'), read) };
}

function ofBytes<Mistaken>(name: string, check: Check<Buffer, Mistaken>, read: NoInfer<Mistaken>): ReaderMutant {
  return { name, check: (input) => check(input, read) };
}

/** A JSON value with a part of its text replaced wherever it occurs. */
function withText(value: unknown, part: string, replacement: string): unknown {
  return value === undefined ? value : parseJson(JSON.stringify(value).replaceAll(part, replacement));
}

type FoundSettings = Parameters<typeof parseSettings>[0];

function withLines(found: FoundSettings, change: (lines: readonly string[]) => readonly string[]): FoundSettings {
  if (found?.kind !== 'file') return found;
  return { kind: 'file', bytes: Buffer.from(change(Buffer.from(found.bytes).toString().split('\n')).join('\n')) };
}

/** The key of a line at the left margin; null for any other line. */
function keyOf(line: string): string | null {
  return /^([a-z_]+):/.exec(line)?.[1] ?? null;
}

function isKnownKey(key: string | null): boolean {
  return key === null || key === 'limits' || SETTING_KEYS.includes(key);
}

function isRepeated(key: string | null, below: readonly string[]): boolean {
  return key !== null && below.some((line) => keyOf(line) === key);
}

function withOwnersLines(bytes: Uint8Array, change: (lines: string[]) => readonly string[]): Buffer {
  return Buffer.from(change(Buffer.from(bytes).toString().split('\n')).join('\n'));
}

function oldSideOf(diff: string): string {
  const rows = diff.split('\n').slice(2);
  return rows.flatMap((row) => (/^[- ]/.test(row) ? [`${row.slice(1)}\n`] : [])).join('');
}

/** A page with the right spaces in every line that shows the change but for its spaces. */
function withShownSpaces(body: string): string {
  const plain = (line: string): string => line.replaceAll(' ', '');
  const shown = new Map(SHOWN_LINES.flat().map((line) => [plain(line), line] as const));
  return body.replace(/[^\n]+/g, (line) => shown.get(plain(line)) ?? line);
}

/** A call whose arguments were parsed and written again. */
function rewritten(call: RawToolCall): RawToolCall {
  const value = jsonOf(call.arguments);
  return value === undefined ? call : { ...call, arguments: JSON.stringify(value) };
}
