import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { leaksOf } from './sinks.ts';
import { openStage, type Stage, type StageOptions } from './stage.ts';

/** One stage for all stories of a file. After each of them nobody may have broken a rule, and all of the script was played. */
export function stageForAll(options: StageOptions = {}): () => Stage {
  let stage: Stage | undefined;
  const standing = (): Stage => {
    if (stage === undefined) throw new Error('The stage is not open yet.');
    return stage;
  };
  beforeAll(async () => {
    stage = await openStage(options);
  });
  afterEach(() => {
    expect(standing().github.violations).toEqual([]);
    expect(standing().model.violations).toEqual([]);
    expect(standing().model.remaining()).toBe(0);
  });
  // I2, in every file of stories: none of its sinks holds a secret.
  afterAll(async () => {
    const leaks = stage === undefined ? [] : await leaksOf(stage);
    await stage?.close();
    expect(leaks).toEqual([]);
  });
  return standing;
}

/** GitHub's *Quote reply*: what is rendered of a comment as a quote, a blank line, and the person's own words. */
export function quoteReply(body: string, words: string): string {
  const rendered = body.replace(/^<!--.*-->\n+/, '');
  return `${rendered
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n')}\n\n${words}`;
}
