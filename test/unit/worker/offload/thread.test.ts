import { setImmediate as turn } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { NO_SEARCH_RESULTS } from '../../../../src/core/agent/tools/file-search.ts';
import type { EditRequest } from '../../../../src/core/edits/build/apply-edit.ts';
import { toAssessable } from '../../../../src/core/policy/staleness.ts';
import type { FileAtHead } from '../../../../src/core/state/head-changes.ts';
import { DEFAULT_SETTINGS } from '../../../../src/core/state/settings.ts';
import {
  OffloadError,
  type OffloadInput,
  type OffloadName,
  runOffloaded,
} from '../../../../src/worker/offload/offload.ts';
import {
  createOffloadThread,
  type OffloadThread,
  type OffloadThreadOptions,
} from '../../../../src/worker/offload/thread.ts';
import { stored } from '../../core/edits/samples.ts';
import { edit as editedIn, inConversation, proposal, view, write } from '../../core/messages/sample.ts';

const logged: string[] = [];

const log = { warn: (_fields: object, message: string) => void logged.push(message) };

const opened: OffloadThread[] = [];

afterAll(() => Promise.all(opened.map((one) => one.stop())));

function open(options: Partial<OffloadThreadOptions> = {}): OffloadThread {
  const thread = createOffloadThread({ log, ...options });
  opened.push(thread);
  return thread;
}

/** A thread with other code: the script is its message listener. */
function played(script: string): URL {
  const listen = `parentPort.on('message', ({ name }) => { ${script} })`;
  return new URL(
    `data:text/javascript,import { parentPort } from 'node:worker_threads'; ${encodeURIComponent(listen)}`,
  );
}

const [path, repositoryName] = ['src/a.ts', 'shop'];

const LONG = 'const a = 1;\n'.repeat(6_000);

const read = (text: string): OffloadInput<'formatFileContent'> => ({
  ...stored(text),
  path,
  blob: '0',
  start: null,
  end: null,
});

const large = read(LONG);

/** Parts that a copy could lose: line endings, byte order marks, lone surrogates, NUL and non-ASCII characters. */
const odd = fc
  .array(fc.constantFrom('a\n', 'b\r\n', '\r', '\u{FEFF}', '\ud800', '\udc00x\n', '\0', 'é\n', '😀', '\u2028', ''))
  .map((pieces) => pieces.join(''));

function fileAt(content: string): FileAtHead {
  const text = content.toWellFormed();
  return { ...stored(text).ref, text };
}

function changedFile(patch: string) {
  return { path: `src/${patch.length}`, previousPath: null, status: 'modified', added: 1, removed: 1, patch };
}

/** Every kind of computation on these texts, with more fields than it needs. */
function worksOn(text: string, other: string): readonly { [N in OffloadName]: [N, OffloadInput<N>] }[OffloadName][] {
  const file = stored(`${text.toWellFormed()}${LONG}`);
  const [oldString, lastReadBlob] = [LONG.slice(0, 6_500), file.ref.blob];
  const edit = { oldString, newString: other, replaceAll: true };
  const editsOf = (edits: readonly EditRequest[]) => [{ kind: 'edits', edits }] as const;
  const content = [{ kind: 'content', content: `${other}${LONG}` }] as const;
  const target = { path, repositoryName, file, lastReadBlob };
  const change = write('src/a.md', LONG, LONG.slice(13));
  const shown = view(proposal({ ...change, path: `src/${text}` }), inConversation);
  const { links, warnings, writable, protectedPaths } = shown;
  const told = {
    kind: 'proposal-details',
    proposal: { id: 'k7q2', title: text, url: null },
    outcome: {
      id: 'k7q2',
      state: 'proposed',
      by: null,
      commitSha: null,
      replacedBy: null,
      isInstructed: false,
      note: null,
    },
    digest: '0'.repeat(64),
    diff: `@@ -1 +1,2 @@\n a\n+${other}\u{202E}\n${LONG}`,
  } as const;
  const built = editedIn('src/a.md', `x\n${LONG}`, 'x\n', 'y\n');
  const edited = { ...built, region: built.region === null ? null : { ...built.region, new: [`${other}y\n`] } };
  const pending = [edited, change].map((one, at) => ({ id: `k7q${at}`, change: toAssessable(one) }));
  const [before, now, made] = [fileAt(`x\n${LONG}`), fileAt(`${text}\nx\n${LONG}`), fileAt(`${other}y\n${LONG}`)];
  const seen = { atHead: now, sourceAtHead: null };
  const appCommits = [{ blobBefore: before.blob, blobAfter: '0', ranges: [] }];
  const rules = { ...DEFAULT_SETTINGS, rules: [{ tools: ['read_file'], paths: ['*'], decide: 'ask' }] } as const;
  const context = {
    runDetails: { warnings, writable, protectedPaths },
    links,
    memberTexts: [LONG],
    file: undefined,
    path: 'src/a.ts',
  };
  return [
    ['parseCall', { name: 'write_file', arguments: JSON.stringify({ path, content: `${text}${LONG}` }) }],
    ['parseCall', { name: text, arguments: `${other}${LONG}` }],
    ['formatFileContent', { path, blob: '0', bytes: file.bytes, start: null, end: null }],
    ['buildText', { ...target, steps: editsOf([{ ...edit, oldString: `${text}const` }]) }],
    ['buildText', { ...target, steps: editsOf([edit]) }],
    ['buildText', { ...target, steps: [...editsOf([edit]), ...editsOf([{ ...edit, oldString: other }])] }],
    ['buildText', { ...target, steps: content }],
    ['buildText', { ...target, file: null, lastReadBlob: null, steps: [...content, ...editsOf([edit])] }],
    ['buildDelete', { path, repositoryName, file }],
    ['buildMove', { from: path, to: other, repositoryName, file }],
    ['isFoundAfterEdit', { bytes: file.bytes, searchText: other, region: null }],
    ['assessPush', { before, after: now, pending, appCommits }],
    ['assessPush', { before, after: made, pending, appCommits }],
    ['assessFile', { file: now, pending, appCommits }],
    [
      'computeUndo',
      { id: 'k7q2', change, commitSha: 'c', range: null, appCommits, files: { ...seen, atCommit: made } },
    ],
    [
      'computeUndo',
      { id: 'k7q2', change, commitSha: 'c', range: null, appCommits, files: { ...seen, atCommit: 'commit-missing' } },
    ],
    ['applyUserEdit', { change, proposed: change, placement: inConversation, baseText: LONG, lines: [other, text] }],
    [
      'applyUserEdit',
      { change: built, proposed: built, placement: inConversation, baseText: `x\n${LONG}`, lines: [other, text] },
    ],
    ['draftComments', { proposal: shown.proposal, context }],
    ['draftCommentsAt', { proposal: shown.proposal, context, placement: inConversation }],
    ['countParts', shown.proposal],
    ['renderPostedProposal', shown],
    ['renderReplyPages', { reply: told, links }],
    ['sortReadablePaths', { paths: `${text}\0${other}\0${LONG}`, rules }],
    ['selectDiffs', { files: [changedFile(text), changedFile(`${other}${LONG}`)], maxBytes: 40_000, rules }],
    ['matchPaths', { paths: `${text}\0${other}\0${LONG}`, glob: `*${other}*` }],
    ['buildOverview', { paths: `${text}/a\0${other}/b\0${LONG}` }],
  ];
}

describe('createOffloadThread', () => {
  it('returns exactly the results of inline computations, for any text (H6)', async () => {
    const { offload } = open();
    await fc.assert(
      fc.asyncProperty(odd, odd, async (text, other) => {
        for (const [name, input] of worksOn(text, other)) {
          expect(await offload(name, input), name).toStrictEqual(runOffloaded<OffloadName>(name, input));
        }
      }),
      { numRuns: 20 },
    );
  });

  it('takes only inputs that survive a structured clone (H6)', () => {
    for (const [name, input] of worksOn('a\r\n', 'b')) {
      const output = runOffloaded<OffloadName>(name, input);
      expect(deserialize(serialize(output)), name).toStrictEqual(output);
    }
  });

  it('does not block the event loop (H6)', async () => {
    const { offload } = open();
    const content = `é\n${'a\n'.repeat(660_000)}b\n`;
    const file = stored(`é\r\n${'a\r\n'.repeat(660_000)}`);
    let done = false;
    const built = offload('buildText', {
      path,
      repositoryName,
      file,
      steps: [{ kind: 'content', content }],
      lastReadBlob: file.ref.blob,
    });
    const ended = built.then(() => {
      done = true;
    });
    let turns = 0;
    for (; !done; turns += 1) await turn();
    await ended;
    expect(turns).toBeGreaterThan(100);
    expect(await built).toMatchObject({ kind: 'change' });
  });

  it('uses the thread only for large inputs', async () => {
    const { offload } = open({ module: new URL('nowhere.ts', import.meta.url) });
    expect((await offload('formatFileContent', read('a\n'))).text).toContain('lines 1 to 1 of 1');
    await expect(offload('formatFileContent', large)).rejects.toThrow(OffloadError);
  });

  it('runs one computation at a time, in order', async () => {
    const module = played(
      `parentPort.postMessage({ kind: 'done', output: globalThis.count = (globalThis.count ?? 0) + 1 })`,
    );
    const { offload } = open({ module });
    const all = [1, 2, 3].map(() => offload('formatFileContent', large));
    expect(await Promise.all(all)).toEqual([1, 2, 3]);
  });

  it('rethrows errors of a computation with message and stack', async () => {
    const { offload } = open();
    const region = { oldStart: 1, newStart: 1, before: [], old: ['no such line\n'], new: [], after: [] };
    const input = { bytes: large.bytes, searchText: 'a', region };
    const here = (() => {
      try {
        return runOffloaded('isFoundAfterEdit', input);
      } catch (error) {
        return error;
      }
    })();
    expect(here).toBeInstanceOf(Error);
    const thrown: unknown = await offload('isFoundAfterEdit', input).catch((error: unknown) => error);
    expect(thrown).toEqual(here);
    expect(thrown).toMatchObject({ stack: expect.stringContaining('earlier-changes') });
    expect(await offload('formatFileContent', large)).toEqual(runOffloaded('formatFileContent', large));
  });

  it('outlines and patterns of any size are computed there, and a pattern that takes too long ends alone (S142, S143)', async () => {
    const { offload } = open();
    const file = { path: 'a.ts', blob: '0', bytes: Buffer.from('let a = 1;\n') };
    expect(await offload('parsedOutline', file)).toContain('declarations with their line numbers:\n1: let a = 1;');
    const change = { oldStart: 0, newStart: 1, before: [], old: [], new: ['let a = ;\n'], after: [] };
    const added = { path: 'a.ts', isNew: true, bytes: new Uint8Array(), earlier: [], changes: [change] };
    expect(await offload('checkSyntax', added)).toEqual({ path: 'a.ts', line: 1, what: 'syntax error' });
    const query = { query: '(a?){225}[ab]{225}c', regex: true, ignoreCase: false, context: 0 };
    expect(await offload('findQueryProblem', query)).toContain('too large');
    const slow = { ...query, query: '(a?){190}a{190}' };
    expect(await offload('findQueryProblem', slow)).toBeNull();
    const files = [{ path: 'b', bytes: Buffer.from('ab'.repeat(2_000_000).slice(0, 1_900_000)) }];
    const hostile = offload('searchFileBatch', { results: NO_SEARCH_RESULTS, files, query: slow });
    await hostile.catch((error: unknown) => expect(error).toMatchObject({ name: 'OffloadError', reason: 'timeout' }));
    expect(await offload('findQueryProblem', { ...query, query: 'a+' })).toBeNull();
  });

  it('ends after a trap in WebAssembly, whose memory is in disorder then (S143, S148)', async () => {
    const trap = `const error = new Error('unreachable'); error.name = 'RuntimeError'; throw error;`;
    const { offload } = open({ module: played(trap) });
    const file = { path: 'a.ts', isNew: true, bytes: new Uint8Array(), earlier: [], changes: [] };
    await expect(offload('checkSyntax', file)).rejects.toMatchObject({ reason: 'crash' });
  });

  it('ends a computation at the time limit, logs it, and starts another thread for the next one', async () => {
    const stuck = `if (name === 'parseCall') for (;;);`;
    const { offload } = open({
      module: played(`${stuck} parentPort.postMessage({ kind: 'done', output: 'read' })`),
      timeoutMs: 4_000,
    });
    const slow = offload('parseCall', { name: 'write_file', arguments: LONG });
    const next = offload('formatFileContent', large);
    await expect(slow).rejects.toMatchObject({ name: 'OffloadError', reason: 'timeout' });
    expect(await next).toBe('read');
    expect(logged).toContain('offloaded computation timed out');
  });

  it('fails a computation that crashes the thread, logs it, and starts another thread for the next one', async () => {
    const dies = `if (name === 'parseCall') process.exit(3);`;
    const { offload } = open({ module: played(`${dies} parentPort.postMessage({ kind: 'done', output: 'read' })`) });
    const fatal = offload('parseCall', { name: 'write_file', arguments: LONG });
    const next = offload('formatFileContent', large);
    await expect(fatal).rejects.toMatchObject({ name: 'OffloadError', reason: 'crash' });
    expect(await next).toBe('read');
    expect(logged).toContain('offload thread crashed');
  });

  it('ends only the thread if it exceeds its memory limit', async () => {
    const grows = `const all = []; for (;;) all.push(new Array(1e6).fill(name));`;
    const { offload } = open({ module: played(grows), maxMegabytes: 48 });
    await expect(offload('formatFileContent', large)).rejects.toMatchObject({ name: 'OffloadError', reason: 'crash' });
  });

  it('hides the environment from the thread', async () => {
    const module = played(`parentPort.postMessage({ kind: 'done', output: Object.keys(process.env).length })`);
    expect(await open({ module }).offload('formatFileContent', large)).toBe(0);
  });

  it('fails pending and later large computations after a stop, without an OffloadError', async () => {
    const { offload, stop } = open({ module: played('') });
    const waiting = [1, 2].map(() => offload('formatFileContent', large).catch((error: unknown) => error));
    await turn();
    await stop();
    for (const error of [
      ...(await Promise.all(waiting)),
      await offload('formatFileContent', large).catch((one: unknown) => one),
    ]) {
      expect(error).toBeInstanceOf(Error);
      expect(error).not.toBeInstanceOf(OffloadError);
    }
    expect((await offload('formatFileContent', read('a\n'))).text).toContain('lines 1 to 1 of 1');
  });
});
