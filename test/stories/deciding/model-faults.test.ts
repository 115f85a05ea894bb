import { beforeAll, describe, expect, it } from 'vitest';
import type { ScriptedCall, ScriptedTurn } from '../../../fakes/model/script.ts';
import { isRecord, parseJson } from '../../../src/lib/trust.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY } from '../support/proposals.ts';
import { edit, type Story } from '../support/story.ts';

const stage = stageForAll();

/** The final reply of a run that ended without a change. */
async function endOf(turn: ScriptedTurn): Promise<Story> {
  const story = await stage().tell();
  story.model.says(turn);
  await story.ana.says('/countersign use bigint');
  expect(story.pr.commits()).toEqual([]);
  expect(story.bot.answers()).toHaveLength(1);
  expect(story.bot.answer()).toContain(`@${story.ana.login}, `);
  expect(story.bot.run().body).toContain('Nothing was changed.');
  return story;
}

describe('invalid model responses', () => {
  it.each<[string, ScriptedTurn, RegExp]>([
    ['nothing at all', { content: null }, /> All done\./],
    ['an empty text', { content: '' }, /> All done\./],
    ['a refusal', { content: null, refusal: 'I will not touch money.' }, /I will not touch money\./],
    ['a promise without a call', { content: 'I will edit the file now.' }, /Nothing was changed\./],
    [
      'a truncated text',
      { content: 'First I', finishReason: 'length' },
      /gave no usable answer.*\n\nThe answer was cut off/,
    ],
    ['a filtered text', { content: '', finishReason: 'content_filter' }, /withheld by the content filter/],
  ])('%s ends the run with one clear message (D9, S37)', async (_, turn, words) => {
    const { bot } = await endOf(turn);
    expect(bot.answer()).toMatch(words);
  });

  it('the App never repeats the model’s claims about its work as its own (D10)', async () => {
    const { bot } = await endOf({ content: 'I committed it in 1234567, all approved by ana.' });
    expect(bot.answer()).toContain('> I committed it in `1234567`, all approved by ana.');
    expect(bot.answer()).toMatch(/, the answer, written by the model:\n\n>.*\n\nNothing was changed\.$/m);
  });

  it('R55: two calls with one id are both proposed, and each is answered once under an id of its own (D7)', async () => {
    const { ana, bot, model, pr } = await stage().tell();
    model.proposes({ ...BIGINT, id: 'call_1' }, { ...EXACTLY, id: 'call_1' });
    await ana.says('/countersign use bigint');
    expect(bot.proposals()).toHaveLength(2);
    await ana.says('/approve all');
    expect(pr.commits()).toHaveLength(1);
    const answered = model.lastMessages().flatMap(({ toolCallId }) => toolCallId ?? []);
    const [first, second, ...more] = answered;
    expect([first, more]).toEqual(['call_1', []]);
    expect(second).toMatch(/^[a-z0-9]{9}$/);
  });
});

const EDIT = { path: 'src/total.ts', old_string: 'a', new_string: 'b' };

const INVALID_CALLS: readonly (readonly [string, ScriptedCall, RegExp])[] = [
  [
    'an unknown tool',
    { name: 'run_shell', arguments: { command: 'rm -rf /' } },
    /^Unknown tool "run_shell"\. Available/,
  ],
  ['invalid JSON', { name: 'edit_file', arguments: '{"path": "src/to' }, /not valid JSON\. Nothing was executed/],
  ['an unknown key', { name: 'edit_file', arguments: { ...EDIT, force: true } }, /unknown "force" \(allowed: path, /],
];

describe('calls that cannot be served', () => {
  let results: readonly string[] = [];
  beforeAll(async () => {
    const { ana, bot, model } = await stage().tell();
    model.proposes(...INVALID_CALLS.map(([, call]) => call));
    await ana.says('/countersign use bigint');
    results = model.toolMessages();
    expect(bot.proposals()).toEqual([]);
    expect(model.requests()).toHaveLength(2);
  });

  it.each(INVALID_CALLS.map(([name, , words], at) => [name, at, words] as const))(
    '%s gets an explanation as its result, and nothing is proposed (S1, D6)',
    (_, at, words) => {
      expect(results).toHaveLength(INVALID_CALLS.length);
      expect(results[at]).toMatch(words);
    },
  );
});

describe('too many calls in one response', () => {
  it('only the first 50 calls of a response are served, all their searches from one archive', async () => {
    const files = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`src/${index}.ts`, `old ${index}\n`]));
    const { ana, bot, model } = await stage().tell({ files });
    const calls = Array.from({ length: 60 }, (_, index) => ({
      name: 'search',
      arguments: { query: `old ${index}` },
    }));
    const before = stage().github.requests.length;
    model.proposes(...calls, edit('src/1.ts', 'old 1', 'new 1'));
    await ana.says('/countersign use bigint');
    const results = model.toolMessages();
    expect(results).toHaveLength(61);
    expect(results[7]).toContain('1 line contains "old 7"');
    expect(results[49]).toContain('No line contains "old 49"');
    for (const output of results.slice(50)) expect(output).toMatch(/^Not executed: only the first 50 calls/);
    expect(bot.proposals()).toEqual([]);
    const asked = stage()
      .github.requests.slice(before)
      .map(({ name }) => name);
    expect(asked.filter((name) => name.includes('tarball'))).toHaveLength(1);
  });
});

describe('an endpoint that fails', () => {
  it.each([
    ['500', { fault: 'status', status: 500 }],
    ['429 with retry-after', { fault: 'status', status: 429, headers: { 'retry-after': '1' } }],
    ['a body that is not JSON', { fault: 'invalid-body', body: '<html>502</html>' }],
    ['no choice', { fault: 'empty-choices' }],
    ['a connection reset', { fault: 'reset' }],
  ] as const)('%s is retried, and the run continues normally (D9)', async (_, fault) => {
    const { ana, bot, model } = await stage().tell();
    stage().model.script(fault);
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    await expect.poll(() => bot.proposals().length, { timeout: 25_000, interval: 20 }).toBe(1);
    await stage().settle();
    expect(bot.answers()).toEqual([]);
    expect(new Set(model.requests().map(({ messages }) => JSON.stringify(messages))).size).toBe(1);
  });

  it.each(['Infinity', '315360000'])('“retry-after: %s” holds up the run for an hour at most (D9)', async (after) => {
    const { ana, bot, model } = await stage().tell();
    const start = stage().logged.length;
    stage().model.script({ fault: 'status', status: 429, headers: { 'retry-after': after } });
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    await stage().later(3_600);
    await expect.poll(() => bot.proposals().length, { timeout: 25_000, interval: 20 }).toBe(1);
    await stage().settle();
    expect(model.requests()).toHaveLength(2);
    const levels = stage()
      .logged.slice(start)
      .map(parseJson)
      .filter(isRecord)
      .map(({ level }) => Number(level));
    expect(levels.filter((level) => level >= 50)).toEqual([]);
  });

  it('a permanent error ends the run at once, with a message for the operator that does not contain the key (D9, D14)', async () => {
    const { ana, bot, model } = await stage().tell();
    stage().model.script({
      fault: 'status',
      status: 401,
      body: { error: { message: 'bad key model-key', code: 'x' } },
    });
    await ana.says('/countersign use bigint');
    expect(model.requests()).toHaveLength(1);
    expect(bot.answers()).toHaveLength(1);
    expect(bot.answer()).toContain('the operator should check `OPENAI_API_KEY`');
    expect([...bot.comments().map(({ body }) => body), ...stage().logged].join('\n')).not.toContain('model-key');
  });
});
