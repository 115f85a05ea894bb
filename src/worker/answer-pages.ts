import { commandTable } from '../command/table.ts';
import { furtherAnswers, renderAnswer } from '../render/answer.ts';
import type { RepoLinks } from '../render/words.ts';
import type { Answer } from '../run/answer.ts';

/** An answer and where its links lead. */
export type Answering = { readonly answer: Answer; readonly links: RepoLinks };

/** The comments that give the answer, in order: most take one. */
export function answerPages({ answer, links }: Answering): readonly string[] {
  return [renderAnswer(answer, { links, commands: commandTable }), ...furtherAnswers(answer)];
}
