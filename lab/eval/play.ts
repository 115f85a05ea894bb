import { performance } from 'node:perf_hooks';
import { OPERATIONS } from '../../fakes/github/operations/operations.ts';
import type { ScriptEntry } from '../../fakes/model/script.ts';
import type { TokenUsage } from '../../src/core/state/conversation.ts';
import type { PullState } from '../../src/core/state/pull-state.ts';
import type { EndReason, Run } from '../../src/core/state/run.ts';
import { grade } from './grade.ts';
import { reviewAll } from './review.ts';
import { openScene, type Scene, TimeLimitError } from './scene.ts';
import type { EvalTask, Outcome, Remark } from './tasks/task.ts';

/** The model to try: a real one by its name, or a script. */
export type EvalModel =
  | { readonly kind: 'real'; readonly name: string }
  | { readonly kind: 'scripted'; readonly turns: readonly ScriptEntry[] };

/** How a model did on one task. */
export type TaskResult = {
  readonly task: string;
  /** The faults of the result, one line each; empty if the task is solved. */
  readonly problems: readonly string[];
  /** How the run ended; null if there was none, or if it did not end. */
  readonly ended: EndReason | null;
  /** The words to people about that end; null for none. */
  readonly endNote: string | null;
  /** Times that people decided on everything that waited for them. */
  readonly rounds: number;
  /** Changes that people saw. */
  readonly proposals: number;
  /** Those that people turned down, with a denial or an instruction. */
  readonly denied: number;
  /** Responses of the model. */
  readonly responses: number;
  readonly tokens: TokenUsage;
  readonly seconds: number;
  /** Requests that the fakes refused, which are mistakes of the product and not of the model. */
  readonly violations: readonly string[];
};

/** Plays a task with the real App from its comment to the end, and grades what was committed. */
export async function playTask(task: EvalTask, model: EvalModel, timeLimitMs: number): Promise<TaskResult> {
  const startedAt = performance.now();
  const modelName = model.kind === 'real' ? model.name : null;
  const scene = await openScene(task, { modelName, deadline: Date.now() + timeLimitMs });
  try {
    if (model.kind === 'scripted') scene.model?.script(...model.turns);
    const { rounds, problems } = await playAndGrade(scene, task);
    const state = await scene.state();
    return {
      ...{ task: task.name, problems, rounds },
      ...figuresOf(state),
      seconds: (performance.now() - startedAt) / 1_000,
      violations: violationsOf(scene),
    };
  } finally {
    await scene.close();
  }
}

async function playAndGrade(scene: Scene, task: EvalTask): Promise<Pick<TaskResult, 'rounds' | 'problems'>> {
  const before = scene.headFiles();
  try {
    await holdDiscussion(scene, task);
    const rounds = await reviewAll(scene, task.reviewer);
    return { rounds, problems: await grade(task, await outcomeOf(scene, before)) };
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error;
    return { rounds: 0, problems: [error.message] };
  }
}

/** Posts what people wrote before the task, and then the task. Resolves once the App waits for people. */
async function holdDiscussion(scene: Scene, { discussion = [], place, task }: EvalTask): Promise<void> {
  const ids: number[] = [];
  for (const remark of discussion) await scene.prepare(() => ids.push(postRemark(scene, remark)));
  const { ana } = scene.people;
  await scene.act(() => {
    if (place === undefined) ana.says(task);
    else if ('inThreadOf' in place) ana.replies(ids[place.inThreadOf] ?? 0, task);
    else ana.reviews({ body: task, event: 'COMMENT', comments: place.inReviewWith });
  });
}

/** Returns the id of its comment. */
function postRemark({ github, people, pull, repositoryId }: Scene, { by, on, resolved, says }: Remark): number {
  const person = people[by];
  if (on === undefined) return person.says(says).id;
  const { number, head } = pull();
  const there = { actor: person.actor, repositoryId, number, commitSha: head.sha };
  const { id, threadId } = github.apply(OPERATIONS.createReviewComment, { ...there, ...on, body: says });
  if (resolved === true) person.resolves(pull().threads.get(threadId)?.nodeId ?? '');
  return id;
}

async function outcomeOf(scene: Scene, before: Outcome['before']): Promise<Outcome> {
  const { run, proposals } = await scene.state();
  return {
    before,
    after: scene.headFiles(),
    answer: [run?.summary ?? '', ...repliesOf(scene)].join('\n'),
    questions: (run?.questions ?? []).length,
    proposals: proposals.filter(({ comment }) => comment !== null).length,
    openThreads: openThreadsOf(scene),
  };
}

function openThreadsOf({ github, pull }: Scene): number {
  const { threads, reviewComments } = pull();
  const open = [...threads.values()].filter(({ resolvedById }) => resolvedById === null);
  return open.filter(({ id }) => reviewComments.get(id)?.authorId !== github.app.botId).length;
}

/** The App's replies in the conversation, such as the answer to `/ask`. */
function repliesOf({ github, pull }: Scene): readonly string[] {
  const isReply = (body: string): boolean => body.startsWith('<!-- countersign:reply -->');
  return [...pull().comments.values()]
    .filter(({ authorId, body }) => authorId === github.app.botId && isReply(body))
    .map(({ body }) => body);
}

function figuresOf({ run, proposals, answeredQuestions }: PullState) {
  const shown = proposals.filter(({ comment }) => comment !== null);
  return {
    ...endOf(run),
    proposals: shown.length,
    denied: shown.filter(({ state }) => state === 'rejected').length,
    responses: (run?.turns ?? 0) + answeredQuestions.length,
    tokens: run?.spending.usage ?? { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
  };
}

function endOf(run: Run | null): Pick<TaskResult, 'ended' | 'endNote'> {
  if (run?.phase.kind !== 'ended') return { ended: null, endNote: null };
  return { ended: run.phase.reason, endNote: run.phase.note };
}

function violationsOf({ github, model }: Scene): readonly string[] {
  const unused = model === null || model.remaining() === 0 ? [] : [`${model.remaining()} responses were not asked for`];
  return [...github.violations, ...(model?.violations ?? []), ...unused];
}
