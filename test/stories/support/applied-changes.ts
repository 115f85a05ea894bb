import { expect } from 'vitest';
import { proposeRows, ROWS_PATH, rows } from './rows.ts';
import type { Stage } from './stage.ts';
import type { Story } from './story.ts';

export const BOT = 'countersign[bot]';

/** The messages of the App's commits, oldest first. */
export function botCommits({ pr }: Story): readonly string[] {
  return pr.commits().flatMap(({ author, message }) => (author === BOT ? [message] : []));
}

/** The App has committed value 50 to row 5; nothing is pending, and the run has ended. */
export async function appliedRow(stage: Stage): Promise<Story & { readonly id: string }> {
  const story = await proposeRows(stage, { 5: 50 });
  await story.ana.says('/approve');
  expect(story.pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
  return { ...story, id: story.bot.proposal(1).proposalId };
}
