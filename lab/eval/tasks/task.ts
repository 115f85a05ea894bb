import type { ScriptEntry } from '../../../fakes/model/script.ts';

/** Text files by path. */
export type Files = Readonly<Record<string, string>>;

/** A small repository with a pull request, a task for the agent, and how the result is judged. */
export type EvalTask = {
  /** In kebab case; `--tasks` selects by it. */
  readonly name: string;
  /** The ability that it tries, in a few words for `--list`. */
  readonly about: string;
  /** Files of the default branch. */
  readonly base: Files;
  readonly pull: PullContent;
  /** Comments of people before the task, oldest first. */
  readonly discussion?: readonly Remark[];
  /** Ana's comment. */
  readonly task: string;
  /** Where she writes it; in the conversation by default. */
  readonly place?: TaskPlace;
  /** The repository has a check named `test`: its tests, with these files that only CI has. */
  readonly ci?: Files;
  /** Actions of people besides approving everything. */
  readonly reviewer?: Reviewer;
  readonly grader: Grader;
  /** Responses of a capable model, which solve the task. The last one has no calls. */
  readonly solution: readonly ScriptEntry[];
  /** Responses of models that fail. The grader must notice each of them. */
  readonly mistakes?: Readonly<Record<string, readonly ScriptEntry[]>>;
};

/** The pull request as its author wrote and pushed it; null deletes a file. */
export type PullContent = {
  readonly title: string;
  readonly body?: string;
  readonly files: Readonly<Record<string, string | null>>;
};

/** Ana, who gives the task, and Ben have write access; Carl wrote the pull request; a stranger has no role. */
export type PersonName = 'ana' | 'ben' | 'carl' | 'stranger';

/** A comment in the conversation, or one that begins a thread on a line of the head. */
export type Remark = {
  readonly by: PersonName;
  readonly says: string;
  readonly on?: CodeLine;
  /** The thread was resolved. */
  readonly resolved?: boolean;
};

export type CodeLine = { readonly path: string; readonly line: number };

/** A reply in the thread of the n-th remark, from 0; or the body of a review with comments on lines. */
export type TaskPlace =
  | { readonly inThreadOf: number }
  | { readonly inReviewWith: readonly (CodeLine & { readonly body: string })[] };

/** The scripted reviewer: decides on everything that is asked, and approves each change that has no objection. */
export type Reviewer = {
  /** Each is raised once, in order, against the first proposal that it fits. */
  readonly objections?: readonly Objection[];
  readonly answers?: Answers;
  /** Comments by Ana to the finished run, one after the other. */
  readonly afterwards?: readonly string[];
  /** When the run is finished and the repository's tests fail, Ana posts their output, at most twice. */
  readonly reportsFailures?: boolean;
};

export type Objection = {
  readonly kind: 'deny' | 'instruct';
  /** Matches the path and the new text of the change; any change by default. */
  readonly about?: RegExp;
  readonly words: string;
};

/** Answers to questions of the agent, by what a question takes. */
export type Answers = {
  /** By default "Please decide yourself." */
  readonly text?: string;
  /** Matches the choice; the first one by default. */
  readonly choice?: RegExp;
  /** False rejects, which ends the run. */
  readonly approval?: boolean;
};

/** The conditions on the end of a task. Every member adds some, and all of them must hold. */
export type Grader = {
  /** All paths that can differ from the head at the beginning. A path that ends in `/` means all below it. */
  readonly mayChange: readonly string[];
  /** Runs the repository's tests, with these files in place of what the model made of them. */
  readonly tests?: Files;
  /** Runs the tests as they were committed with these files put back. They must fail: a new test covers the change. */
  readonly coversChangeOf?: readonly string[];
  /** Each pattern must match the file. */
  readonly contains?: Readonly<Record<string, readonly RegExp[]>>;
  /** No pattern may match the file. */
  readonly lacks?: Readonly<Record<string, readonly RegExp[]>>;
  /** These paths must exist (true) or not (false). */
  readonly exists?: Readonly<Record<string, boolean>>;
  /** Each pattern must match the agent's answer. */
  readonly answer?: readonly RegExp[];
  /** No pattern may match the agent's answer. */
  readonly answerLacks?: readonly RegExp[];
  /** The least number of questions that people were asked. */
  readonly asksAtLeast?: number;
  readonly proposesAtLeast?: number;
  readonly proposesAtMost?: number;
  /** Further problems, one line each. */
  readonly check?: (outcome: Outcome) => readonly string[];
};

/** The end of a task, for its grader. */
export type Outcome = {
  /** The head before the task. */
  readonly before: Files;
  /** The head at the end. */
  readonly after: Files;
  /** The agent's closing words and its replies on the page. */
  readonly answer: string;
  /** Number of questions that the agent asked. */
  readonly questions: number;
  readonly proposals: number;
  /** Review threads of people that are still open. */
  readonly openThreads: number;
};

/** The files of the pull request's head when the task is given. */
export function headFilesOf({ base, pull }: Pick<EvalTask, 'base' | 'pull'>): Files {
  const all = Object.entries({ ...base, ...pull.files });
  return Object.fromEntries(all.flatMap(([path, content]) => (content === null ? [] : [[path, content]])));
}
