import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { leaksOf } from './sinks.ts';
import { openStage, type Stage, type StageOptions } from './stage.ts';

/** One stage for all stories of a file. Each story must break no rule of the fakes and use its whole script. */
export function stageForAll(options: StageOptions = {}): () => Stage {
  let stage: Stage | undefined;
  const current = (): Stage => {
    if (stage === undefined) throw new Error('The stage is not open yet.');
    return stage;
  };
  beforeAll(async () => {
    stage = await openStage(options);
  });
  afterEach(() => {
    expect(current().github.violations).toEqual([]);
    expect(current().model.violations).toEqual([]);
    expect(current().model.remaining()).toBe(0);
  });
  // I2, in every story file: no output contains a secret.
  afterAll(async () => {
    const leaks = stage === undefined ? [] : await leaksOf(stage);
    await stage?.close();
    expect(leaks).toEqual([]);
  });
  return current;
}

/** GitHub's *Quote reply*: the rendered comment as a quote, a blank line, and the person's text. */
export function quoteReply(body: string, words: string): string {
  const rendered = body.replace(/^<!--.*-->\n+/, '');
  return `${rendered
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n')}\n\n${words}`;
}
