import { redact } from '../../lib/credentials.ts';
import { escapeHiddenCharacters } from '../edits/text/characters.ts';
import type { TranscriptMessage } from '../state/conversation.ts';
import type { PullRequestRef } from '../state/intent.ts';
import { type AnsweredQuestion, SIDE_QUESTION_LIMITS, type SideQuestion } from '../state/question.ts';
import { DEFAULT_SETTINGS } from '../state/settings.ts';
import type { PullSummary, TaskContext } from '../state/task-context.ts';
import { buildContext } from './context/first-message.ts';
import { materialLine } from './shared/clean-text.ts';
import { buildSystemPrompt, READING_TOOLS } from './system-prompt.ts';

/** What a question begins with where no run has a transcript. */
type OpenedQuestion = {
  readonly question: SideQuestion;
  readonly ref: PullRequestRef;
  readonly earlier: readonly AnsweredQuestion[];
  readonly pull: PullSummary;
  readonly context: TaskContext;
};

/** The first messages of a question about the pull request: as for a task, and the question last. */
export function openFromPull({ question, ref, earlier, pull, context }: OpenedQuestion): readonly TranscriptMessage[] {
  const content = [...buildContext({ task: question, ref, pull, context }), ...askedBlocks(question, earlier)];
  return [
    { role: 'system', content: buildSystemPrompt(DEFAULT_SETTINGS.limits) },
    { role: 'user', content: content.join('\n') },
  ];
}

/** The question behind the transcript of a run. */
export function openFromRun(question: SideQuestion, earlier: readonly AnsweredQuestion[]): TranscriptMessage {
  return { role: 'user', content: [...quoteBlock(question), ...askedBlocks(question, earlier)].join('\n') };
}

function askedBlocks(question: SideQuestion, earlier: readonly AnsweredQuestion[]): readonly string[] {
  return [...earlierBlock(earlier), ...changeBlock(question), ...questionBlock(question)];
}

function earlierBlock(earlier: readonly AnsweredQuestion[]): readonly string[] {
  if (earlier.length === 0) return [];
  const rows = earlier.map(({ by, question, answer }) => JSON.stringify({ by: by.login, question, answer }));
  return [materialLine('Earlier questions on this pull request and their answers, oldest first'), ...rows];
}

function changeBlock({ askedChange }: SideQuestion): readonly string[] {
  if (askedChange === null) return [];
  const { paths, state, diff } = askedChange;
  const change = { paths: paths.map((path) => escapeHiddenCharacters(path)), state, diff: diff ?? undefined };
  return [materialLine('The proposed change that the question is about'), JSON.stringify(change)];
}

function quoteBlock({ quote }: SideQuestion): readonly string[] {
  return quote === null ? [] : [materialLine('What the question’s comment quotes'), JSON.stringify(redact(quote))];
}

function questionBlock({ by, text }: SideQuestion): readonly string[] {
  return [
    `${by.login} asks a question, as a JSON string:`,
    JSON.stringify(redact(text)),
    `Answer it in a few plain sentences, the point first. Nothing is proposed, decided or changed by your answer, and of a long one a run hears only the beginning. Where you have to look first, call ${READING_TOOLS}; no other tool is served. You have ${SIDE_QUESTION_LIMITS.responses} responses, and in the last one you can call nothing.`,
  ];
}

/** Stands before the last response. */
export const LAST_RESPONSE_MESSAGE: TranscriptMessage = {
  role: 'user',
  content:
    'This is your last response to this question, and it can call nothing. Answer with what you know, and say what you could not look up.',
};
