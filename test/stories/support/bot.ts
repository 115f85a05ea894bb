import type { PullView } from './pull-view.ts';
import type { Stage } from './stage.ts';

/** The current content of a comment by the App. */
export type Posted = {
  readonly kind: 'issue' | 'review';
  readonly id: number;
  readonly body: string;
  /** Empty unless it is the comment of a proposal. */
  readonly proposalId: string;
  readonly resolved: boolean;
  readonly reactions: readonly string[];
};

/** The App's comments and reactions on the pull request. */
export type Bot = {
  readonly comments: () => readonly Posted[];
  /** The n-th proposal (1-based), in the order they were posted. */
  readonly proposal: (n: number) => Posted;
  readonly proposals: () => readonly Posted[];
  /** Comments of the agent's questions, in the order they were posted. */
  readonly questions: () => readonly Posted[];
  /** The newest run comment. */
  readonly run: () => Posted;
  /** Replies, oldest first, without their marker. */
  readonly answers: () => readonly string[];
  readonly answer: () => string;
  /** Bodies of reviews. */
  readonly reviews: () => readonly string[];
  /** Reactions of the App on a comment. */
  readonly reactionsOn: (commentId: number) => readonly string[];
};

const PROPOSAL = /^<!-- countersign:proposal:([a-z0-9]+) -->/;

const QUESTION = /^<!-- countersign:question:([a-z0-9]+) -->/;

export function watchBot(stage: Stage, pr: PullView): Bot {
  const botId = stage.github.app.botId;
  const conversation = (): Posted[] => {
    const appComments = [...pr.now().comments.values()].filter((comment) => comment.authorId === botId);
    return appComments.map(({ id, body }) => ({
      kind: 'issue',
      id,
      body,
      proposalId: idOf(body),
      resolved: false,
      reactions: [],
    }));
  };
  const inReviews = (): Posted[] => {
    const { reviewComments, threads } = pr.now();
    const appComments = [...reviewComments.values()].filter((comment) => comment.authorId === botId);
    return appComments.map(({ id, body, threadId }) => {
      const resolved = threads.get(threadId)?.resolvedById != null;
      return { kind: 'review', id, body, proposalId: idOf(body), resolved, reactions: [] };
    });
  };
  const comments = (): Posted[] => [...conversation(), ...inReviews()].sort((left, right) => left.id - right.id);
  const proposals = (): Posted[] => comments().filter((comment) => comment.proposalId !== '');
  const answers = (): string[] => comments().flatMap(({ body }) => answerIn(body));
  return {
    comments,
    proposals,
    proposal: (n) => found(proposals().at(n - 1), `proposal ${n}`),
    questions: () => comments().filter(({ body }) => QUESTION.test(body)),
    run: () =>
      found(
        comments().findLast(({ body }) => body.startsWith('<!-- countersign:run:')),
        'run comment',
      ),
    answers,
    answer: () => found(answers().at(-1), 'answer'),
    reviews: () =>
      [...pr.now().reviews.values()].filter((one) => one.authorId === botId && one.body !== '').map((one) => one.body),
    reactionsOn: (commentId) =>
      pr
        .reactionsOn(commentId)
        .filter((one) => one.authorId === botId)
        .map((one) => one.content),
  };
}

function idOf(body: string): string {
  return PROPOSAL.exec(body)?.[1] ?? '';
}

function answerIn(body: string): string[] {
  const marker = '<!-- countersign:reply -->';
  return body.startsWith(marker) ? [body.slice(marker.length).trim()] : [];
}

function found<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`There is no ${what} on the page.`);
  return value;
}
