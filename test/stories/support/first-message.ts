import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import type { Speaker } from './speaker.ts';
import type { Stage } from './stage.ts';
import type { Story } from './story.ts';

/** The message with which the model's newest run began. */
export function firstMessage({ model }: Pick<Story, 'model'>): string {
  const message = model.lastMessages().find(({ role }) => role === 'user');
  return message?.content ?? '';
}

/** The task as the model got it: the last line. */
export function taskIn(message: string): string {
  return JSON.parse(message.split('\n').at(-1) ?? '');
}

/** The rows of JSON below the first line that contains this heading, up to the next line that is no JSON. */
export function rowsBelow(message: string, heading: string): readonly Record<string, unknown>[] {
  const lines = message.split('\n');
  const start = lines.findIndex((line) => line.includes(heading)) + 1;
  const rows = start === 0 ? [] : lines.slice(start);
  const end = rows.findIndex((line) => !line.startsWith('{'));
  return rows.slice(0, end === -1 ? undefined : end).map((line) => JSON.parse(line));
}

/** A comment that begins a thread on a line of the head; returns its id. */
export async function comments(
  stage: Stage,
  { pr }: Story,
  who: Speaker,
  place: { readonly path: string; readonly line: number; readonly startLine?: number },
  body: string,
): Promise<number> {
  const created = await who.does(({ actor }) =>
    stage.github.apply(OPERATIONS.createReviewComment, {
      ...{ actor, repositoryId: pr.repositoryId, number: pr.number, commitSha: pr.head(), body },
      ...place,
      ...(place.startLine === undefined ? {} : { startSide: 'RIGHT' as const }),
    }),
  );
  return created.id;
}
