import { describe, expect, it } from 'vitest';
import type { ChatRequest, ScriptedCall, ScriptedFault } from '../../../fakes/model/script.ts';
import { CLEARED_OUTPUT } from '../../../src/core/agent/clear-readings.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT } from '../support/proposals.ts';
import { DEFAULT_FILES } from '../support/pull-request.ts';
import { read, type Story } from '../support/story.ts';

const stage = stageForAll({ environment: { MODEL_CONTEXT_TOKENS: '28000' } });

/** About 2,900 tokens each. */
const PAGES = Object.fromEntries(
  ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`docs/${name}.txt`, `${name} is one line of this page.\n`.repeat(400)]),
);

const OVERFLOW: ScriptedFault = {
  fault: 'status',
  status: 400,
  body: { error: { message: "This model's maximum context length is 9000 tokens.", code: 'context_length_exceeded' } },
};

const readPage = (name: string): ScriptedCall => read(`docs/${name}.txt`);

function tellPages(): Promise<Story> {
  return stage().tell({ files: { ...DEFAULT_FILES, ...PAGES }, branch: { 'b.txt': 'b\n' } });
}

/** Which of the results of a request are one line in the place of a reading. */
function clearedIn(request: ChatRequest | undefined): readonly boolean[] {
  const results = request?.messages.filter(({ role }) => role === 'tool') ?? [];
  return results.map(({ content }) => content === CLEARED_OUTPUT);
}

function isPrefix(earlier: ChatRequest | undefined, later: ChatRequest | undefined): boolean {
  const [before, after] = [earlier, later].map((request) =>
    (request?.messages ?? []).map((one) => JSON.stringify(one)),
  );
  return before?.every((message, index) => after?.[index] === message) ?? false;
}

describe('the model’s context (S169)', () => {
  it('old readings become one line before it is full, in one step; decisions and words stay, and can be read again (S169, S170)', async () => {
    const { ana, bot, model } = await tellPages();
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    for (const name of ['a', 'b', 'c', 'd']) model.proposes(readPage(name));
    model.proposes(readPage('a'));
    model.says({ content: 'All read.' });
    await ana.says('/deny read the pages first');
    const requests = model.requests();
    expect(requests).toHaveLength(7);
    const cleared = requests.map(clearedIn);
    expect(cleared.map((results) => results.filter(Boolean).length)).toEqual([0, 0, 0, 0, 0, 2, 2]);
    const breaks = requests.slice(1).filter((request, index) => !isPrefix(requests[index], request));
    expect(breaks).toHaveLength(1);
    const last = requests.at(-1)?.messages ?? [];
    const text = JSON.stringify(last);
    expect(text).toContain('read the pages first');
    expect(last.filter(({ role }) => role === 'assistant')).toHaveLength(6);
    expect(last.filter(({ role }) => role === 'tool').at(-1)?.content).toContain('a is one line of this page.');
    expect(bot.answer()).toContain('the run finished');
  });

  it('a request that the endpoint finds too long is sent again with less, and the run goes on (S169)', async () => {
    const { ana, bot, model, pr } = await tellPages();
    model.proposes(readPage('a'));
    model.proposes(readPage('b'));
    stage().model.script(OVERFLOW);
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    expect(model.requests().map(clearedIn)).toEqual([[], [false], [false, false], [true, false]]);
    expect(bot.proposals()).toHaveLength(1);
    await ana.says('/approve');
    expect(pr.file('src/total.ts')).toContain('0n');
  });

  it('the run ends once nothing is left to clear, and /resume goes on (S169)', async () => {
    const { ana, bot, model } = await tellPages();
    stage().model.script(OVERFLOW);
    await ana.says('/countersign use bigint');
    expect(model.requests()).toHaveLength(1);
    expect(bot.answer()).toContain('The conversation has become longer than the model can read.');
    expect(bot.answer()).toContain('Use `/resume` to continue this run');
    model.proposes(BIGINT);
    await ana.says('/resume');
    expect(bot.proposals()).toHaveLength(1);
  });
});

describe('the model’s context for a question (S157, S169)', () => {
  it('older readings of the question and of the run become one line, and each request in between begins with the one before (S157, S169, S170)', async () => {
    const { ana, bot, model } = await tellPages();
    model.proposes(readPage('a'));
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    const before = model.requests().length;
    for (const name of ['b', 'c', 'd', 'e']) model.says({ calls: [readPage(name)] });
    model.says({ content: 'All read.' });
    await ana.says('/ask what do the pages say?');
    const requests = model.requests().slice(before);
    expect(requests).toHaveLength(5);
    const cleared = requests.map((request) => clearedIn(request).filter(Boolean).length);
    expect(cleared.at(-1)).toBeGreaterThan(0);
    const breaks = requests.slice(1).filter((request, index) => !isPrefix(requests[index], request));
    expect(breaks).toHaveLength(1);
    expect(bot.answer()).toContain('> All read.');
  });
});
