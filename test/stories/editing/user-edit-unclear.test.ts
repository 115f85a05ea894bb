import { describe, expect, it } from 'vitest';
import { quoteReply, stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { ROWS_PATH, row, rows } from '../support/rows.ts';
import { type Story, write } from '../support/story.ts';

const stage = stageForAll();

function block(...lines: readonly string[]): string {
  return ['```suggestion', ...lines, '```'].join('\n');
}

const PATH = 'src/two.ts';

const FIRST = ['export function one() {', '  return 1;', '}'];

const SECOND = ['export function two() {', '  const two = 2;', '  return two;', '}'];

const WHOLE = [...FIRST, '', ...SECOND];

/** A pull request with a proposal of a new file. */
async function proposeNewFile(): Promise<Story> {
  const story = await stage().tell();
  story.model.proposes(write(PATH, `${WHOLE.join('\n')}\n`));
  await story.ana.says('/countersign write two functions');
  return story;
}

const replyTo = ({ bot, ana }: Story, body: string) => ana.says(quoteReply(bot.proposal(1).body, body));

describe('a block for a new file', () => {
  it.each([
    ['the middle', ['  return 100;']],
    ['the first function, which ends like the file', [...FIRST.toSpliced(1, 1, '  return 100;')]],
    ['the same with many lines', [FIRST[0], ...WHOLE.map((_, at) => `  step(${at});`), '}']],
    ['all but the first line', WHOLE.slice(1)],
    ['all but the last lines', [...WHOLE.slice(0, -2), '  return 3;']],
    ['nothing', []],
  ])('that could be a part of it, %s, is asked about and nothing is committed (S48, S161)', async (_, lines) => {
    const story = await proposeNewFile();
    await replyTo(story, block(...lines.map(String)));
    expect(story.bot.answer()).toContain('is still pending: are these lines the whole file, or a part of it?');
    expect(story.pr.commits()).toEqual([]);
    expect(await proposalStates(story)).toEqual(['proposed']);
    expect(story.model.requests()).toHaveLength(1);
  });

  it('that begins and ends like it and leaves nothing out is the file (S48)', async () => {
    const story = await proposeNewFile();
    const mine = WHOLE.toSpliced(1, 1, '  // The first.', '  return 100;');
    await replyTo(story, block(...mine));
    expect(story.pr.file(PATH)).toBe(`${mine.join('\n')}\n`);
    expect(await proposalStates(story)).toEqual(['completed']);
  });

  it('with any lines is the file below the words “whole file”, which are no note (S48, S161)', async () => {
    const story = await proposeNewFile();
    await replyTo(story, `Whole file:\n${block('export const two = 2;')}\nshorter is better`);
    expect(story.pr.file(PATH)).toBe('export const two = 2;\n');
    expect(story.model.toolMessages()[0]).toContain('"user_note":"shorter is better"');
  });
});

describe('a block for a file that the agent writes anew', () => {
  const proposed = (file: string): string => file.replace(row(5), row(5, 50));

  /** The changed line is outside of the pull request's diff, so no suggestion block shows its range. */
  async function proposeRewrite(): Promise<Story> {
    const story = await stage().tell({ files: { [ROWS_PATH]: rows() }, branch: { 'other.txt': 'new\n' } });
    story.model.proposes({ name: 'read_file', arguments: { path: ROWS_PATH } });
    story.model.proposes(write(ROWS_PATH, proposed(story.pr.file(ROWS_PATH))));
    await story.ana.says('/countersign write it anew');
    expect(story.bot.proposal(1).body).not.toContain('```suggestion');
    return story;
  }

  it.each([
    ['the whole file', rows({ 5: 'mine' }).trimEnd().split('\n')],
    ['the line above', [row(4), row(5, 'mine')]],
    ['the line below', [row(5, 'mine'), row(6)]],
  ])('that repeats unchanged lines, such as %s, is asked about (S161)', async (_, lines) => {
    const story = await proposeRewrite();
    await replyTo(story, block(...lines));
    expect(story.bot.answer()).toMatch(/is still pending: did you mean to have line [46], `.*`, twice\?/);
    expect(story.pr.commits()).toEqual([]);
    await replyTo(story, block(row(5, 'mine')));
    expect(story.pr.file(ROWS_PATH)).toBe(rows({ 5: 'mine' }));
  });
});
