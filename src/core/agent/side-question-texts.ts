import { formatList } from '../../lib/format.ts';
import { redact } from '../../lib/redaction.ts';
import { escapeHiddenCharacters } from '../edits/text/unicode.ts';
import type { ToolCall, TranscriptMessage } from '../state/conversation.ts';
import type { PullRequestRef } from '../state/intent.ts';
import { DEFAULT_SETTINGS } from '../state/settings.ts';
import { type AnsweredQuestion, SIDE_QUESTION_LIMITS, type SideQuestion } from '../state/side-question.ts';
import { isReadingTool, TOOL_NAMES } from '../state/tools.ts';
import type { SideQuestionOpening } from '../step/signals.ts';
import { buildContext } from './context/first-message.ts';
import { materialLine } from './shared/clean-text.ts';
import { buildSystemPrompt } from './system-prompt.ts';

/** The input of the first messages of a question's own transcript. */
type OpenedQuestion = {
  readonly question: SideQuestion;
  readonly ref: PullRequestRef;
  readonly earlier: readonly AnsweredQuestion[];
  readonly opening: SideQuestionOpening;
};

/** The first messages of a question: the state of the run's calls, or the pull request, and the question last. */
export function openSideTranscript({ question, ref, earlier, opening }: OpenedQuestion): readonly TranscriptMessage[] {
  const asked = [...earlierBlock(earlier), ...changeBlock(question), ...questionBlock(question)];
  if (opening.kind === 'run') {
    const content = [...quoteBlock(question), ...asked].join('\n');
    return [...opening.interim, { role: 'user', content }];
  }
  const { pull, context } = opening;
  const content = [...buildContext({ task: question, ref, pull, context }), ...asked].join('\n');
  return [
    { role: 'system', content: buildSystemPrompt(DEFAULT_SETTINGS.limits) },
    { role: 'user', content },
  ];
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
    `Answer it in a few plain sentences, the point first. Nothing is proposed, decided or changed by your answer, and of a long one a run hears only the first and last sentences. Where you have to look first, call ${READING_TOOLS}; no other tool is served. You have ${SIDE_QUESTION_LIMITS.responses} responses, and in the last one you can call nothing.`,
  ];
}

const READING_TOOLS = formatList(TOOL_NAMES.filter(isReadingTool));

/** The result of a call that does anything but read. */
export const ONLY_READING_OUTPUT =
  'Not executed: this is a person’s question, so nothing can be changed or asked here. Read if you must, then answer.';

/** The result of a call whose worker could not read the repository. */
const UNREADABLE_OUTPUT = 'The repository could not be read.';

/** The results of the calls of one response, in their order, and a note before the last response. */
export function buildSideToolMessages(
  calls: readonly ToolCall[],
  outputs: ReadonlyMap<string, string>,
  isLastNext: boolean,
): readonly TranscriptMessage[] {
  const results = calls.map(({ id }): TranscriptMessage => {
    const content = escapeHiddenCharacters(outputs.get(id) ?? UNREADABLE_OUTPUT);
    return { role: 'tool', toolCallId: id, content };
  });
  return isLastNext ? [...results, { role: 'user', content: LAST_RESPONSE }] : results;
}

const LAST_RESPONSE =
  'This is your last response to this question, and it can call nothing. Answer with what you know, and say what you could not look up.';
