import { setImmediate as turn } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type FileAtHead, judgeable } from '../../src/policy/freshness.ts';
import { openThread, type Thread, type ThreadOptions } from '../../src/thread/open-thread.ts';
import { type Input, WorkGivenUp, type WorkName, workedOut } from '../../src/worker/work-out.ts';
import { stored } from '../change/samples.ts';
import { edit as editedIn, inConversation, proposal, view, write } from '../render/sample.ts';

const logged: string[] = [];
const log = { warn: (_fields: object, message: string) => void logged.push(message) };
const opened: Thread[] = [];
afterAll(() => Promise.all(opened.map((one) => one.stop())));

function open(options: Partial<ThreadOptions> = {}): Thread {
  const thread = openThread({ log, ...options });
  opened.push(thread);
  return thread;
}

/** A thread of other code: what its listener does is told as a script. */
function played(script: string): URL {
  const listen = `parentPort.on('message', ({ name }) => { ${script} })`;
  return new URL(
    `data:text/javascript,import { parentPort } from 'node:worker_threads'; ${encodeURIComponent(listen)}`,
  );
}

const [path, sandbox] = ['src/a.ts', 'shop'];
const LONG = 'const a = 1;\n'.repeat(6_000);
const read = (text: string): Input<'readResult'> => ({ ...stored(text), path, blob: '0', start: null, end: null });
const large = read(LONG);

/** What a text may hold that a copy could lose: line endings, a mark, halves of pairs, NUL, letters beyond ASCII. */
const odd = fc
  .array(fc.constantFrom('a\n', 'b\r\n', '\r', '\u{FEFF}', '\ud800', '\udc00x\n', '\0', 'é\n', '😀', '\u2028', ''))
  .map((pieces) => pieces.join(''));

function fileAt(content: string): FileAtHead {
  const text = content.toWellFormed();
  return { ...stored(text).ref, text };
}

/** Every kind of work on these texts, with more around them than is worked out here. */
function worksOn(text: string, other: string): readonly { [N in WorkName]: [N, Input<N>] }[WorkName][] {
  const file = stored(`${text.toWellFormed()}${LONG}`);
  const edit = { path, sandbox, file, oldString: LONG.slice(0, 6_500), newString: other, replaceAll: true };
  const change = write('src/a.md', LONG, LONG.slice(13));
  const shown = view(proposal({ ...change, path: `src/${text}` }), inConversation);
  const { links, warnings, writable } = shown;
  const told = {
    kind: 'shown',
    proposal: { id: 'k7q2', title: text, url: null },
    settled: { id: 'k7q2', state: 'proposed', by: null, commit: null, replacedBy: null },
    digest: '0'.repeat(64),
    diff: `@@ -1 +1,2 @@\n a\n+${other}\u{202E}\n${LONG}`,
  } as const;
  const built = editedIn('src/a.md', `x\n${LONG}`, 'x\n', 'y\n');
  const edited = { ...built, region: built.region === null ? null : { ...built.region, new: [`${other}y\n`] } };
  const waiting = [edited, change].map((one, at) => ({ id: `k7q${at}`, change: judgeable(one) }));
  const [before, now, made] = [fileAt(`x\n${LONG}`), fileAt(`${text}\nx\n${LONG}`), fileAt(`${other}y\n${LONG}`)];
  const seen = { atHead: now, fromAtHead: null };
  const ownEdits = [{ before: before.blob, after: '0', ranges: [] }];
  const ground = { about: { warnings, writable }, links, baseText: LONG, file: undefined };
  return [
    ['parseCall', { name: 'write_file', arguments: JSON.stringify({ path, content: `${text}${LONG}` }) }],
    ['parseCall', { name: text, arguments: `${other}${LONG}` }],
    ['readResult', { path, blob: '0', bytes: file.bytes, start: null, end: null }],
    ['buildEdit', { ...edit, oldString: `${text}const` }],
    ['buildEdit', edit],
    ['buildWrite', { path, sandbox, file, content: `${other}${LONG}`, seenBlob: file.ref.blob }],
    ['buildWrite', { path, sandbox, file: null, content: `${other}${LONG}`, seenBlob: null }],
    ['buildDelete', { path, sandbox, file }],
    ['buildMove', { from: path, to: other, sandbox, file }],
    ['standsAfter', { bytes: file.bytes, sought: other, region: null }],
    ['judgePush', { before, now, waiting, ownEdits }],
    ['judgePush', { before, now: made, waiting, ownEdits }],
    ['judgeFile', { file: now, waiting, ownEdits }],
    ['reverseOf', { id: 'k7q2', change, commit: 'c', range: null, ownEdits, seen: { ...seen, atCommit: made } }],
    ['reverseOf', { id: 'k7q2', change, commit: 'c', range: null, ownEdits, seen: { ...seen, atCommit: 'gone' } }],
    ['ownText', { change, proposed: change, placement: inConversation, baseText: LONG, lines: [other, text] }],
    ['ownText', { change, proposed: edited, placement: inConversation, baseText: LONG, lines: [other, text] }],
    ['pageOf', { proposal: shown.proposal, ground }],
    ['pageAt', { proposal: shown.proposal, ground, placement: inConversation }],
    ['countParts', shown.proposal],
    ['renderStanding', shown],
    ['answerPages', { answer: told, links }],
  ];
}

describe('the thread for large work', () => {
  it('H6: gives to the letter what is worked out here, whatever the text holds', async () => {
    const { workOut } = open();
    await fc.assert(
      fc.asyncProperty(odd, odd, async (text, other) => {
        for (const [name, input] of worksOn(text, other)) {
          expect(await workOut(name, input), name).toStrictEqual(workedOut<WorkName>(name, input));
        }
      }),
      { numRuns: 20 },
    );
  });

  it('H6: takes what a copy keeps: everything that is worked out is plain data', () => {
    for (const [name, input] of worksOn('a\r\n', 'b')) {
      const output = workedOut<WorkName>(name, input);
      expect(deserialize(serialize(output)), name).toStrictEqual(output);
    }
  });

  it('H6: lets everything else go on meanwhile', async () => {
    const { workOut } = open();
    const content = `é\n${'a\n'.repeat(660_000)}b\n`;
    const file = stored(`é\r\n${'a\r\n'.repeat(660_000)}`);
    let done = false;
    const built = workOut('buildWrite', { path, sandbox, file, content, seenBlob: file.ref.blob });
    const ended = built.then(() => {
      done = true;
    });
    let turns = 0;
    for (; !done; turns += 1) await turn();
    await ended;
    expect(turns).toBeGreaterThan(100);
    expect(await built).toMatchObject({ kind: 'change' });
  });

  it('is asked for what is large alone', async () => {
    const { workOut } = open({ module: new URL('nowhere.ts', import.meta.url) });
    expect(await workOut('readResult', read('a\n'))).toContain('lines 1 to 1 of 1');
    await expect(workOut('readResult', large)).rejects.toThrow(WorkGivenUp);
  });

  it('works out one thing after the other, in order', async () => {
    const module = played(
      `parentPort.postMessage({ kind: 'done', output: globalThis.count = (globalThis.count ?? 0) + 1 })`,
    );
    const { workOut } = open({ module });
    const all = [1, 2, 3].map(() => workOut('readResult', large));
    expect(await Promise.all(all)).toEqual([1, 2, 3]);
  });

  it('throws what the work throws, with its words and its stack', async () => {
    const { workOut } = open();
    const region = { oldStart: 1, newStart: 1, before: [], old: ['no such line\n'], new: [], after: [] };
    const input = { bytes: large.bytes, sought: 'a', region };
    const here = (() => {
      try {
        return workedOut('standsAfter', input);
      } catch (error) {
        return error;
      }
    })();
    expect(here).toBeInstanceOf(Error);
    const thrown: unknown = await workOut('standsAfter', input).catch((error: unknown) => error);
    expect(thrown).toEqual(here);
    expect(thrown).toMatchObject({ stack: expect.stringContaining('batch-conflict') });
    expect(await workOut('readResult', large)).toBe(workedOut('readResult', large));
  });

  it('gives up what takes too long, says so, and works out what comes next in another thread', async () => {
    const stuck = `if (name === 'parseCall') for (;;);`;
    const { workOut } = open({
      module: played(`${stuck} parentPort.postMessage({ kind: 'done', output: 'read' })`),
      limitMs: 4_000,
    });
    const slow = workOut('parseCall', { name: 'write_file', arguments: LONG });
    const next = workOut('readResult', large);
    await expect(slow).rejects.toMatchObject({ name: 'WorkGivenUp', why: 'time' });
    expect(await next).toBe('read');
    expect(logged).toContain('something took too long to work out');
  });

  it('gives up what ends the thread, says so, and works out what comes next in another one', async () => {
    const dies = `if (name === 'parseCall') process.exit(3);`;
    const { workOut } = open({ module: played(`${dies} parentPort.postMessage({ kind: 'done', output: 'read' })`) });
    const fatal = workOut('parseCall', { name: 'write_file', arguments: LONG });
    const next = workOut('readResult', large);
    await expect(fatal).rejects.toMatchObject({ name: 'WorkGivenUp', why: 'crash' });
    expect(await next).toBe('read');
    expect(logged).toContain('the thread for large work ended by itself');
  });

  it('ends a thread that takes more memory than any work needs, and nothing else', async () => {
    const grows = `const all = []; for (;;) all.push(new Array(1e6).fill(name));`;
    const { workOut } = open({ module: played(grows), megabytes: 48 });
    await expect(workOut('readResult', large)).rejects.toMatchObject({ name: 'WorkGivenUp', why: 'crash' });
  });

  it('gives its thread nothing of the environment', async () => {
    const module = played(`parentPort.postMessage({ kind: 'done', output: Object.keys(process.env).length })`);
    expect(await open({ module }).workOut('readResult', large)).toBe(0);
  });

  it('once stopped it fails what waits and what is large, but no call is told that it was too much', async () => {
    const { workOut, stop } = open({ module: played('') });
    const waiting = [1, 2].map(() => workOut('readResult', large).catch((error: unknown) => error));
    await turn();
    await stop();
    for (const error of [
      ...(await Promise.all(waiting)),
      await workOut('readResult', large).catch((one: unknown) => one),
    ]) {
      expect(error).toBeInstanceOf(Error);
      expect(error).not.toBeInstanceOf(WorkGivenUp);
    }
    expect(await workOut('readResult', read('a\n'))).toContain('lines 1 to 1 of 1');
  });
});
