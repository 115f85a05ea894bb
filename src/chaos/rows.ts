import type { ChatRequest, ModelTurn } from '../simulator/model/script.ts';

/** Every pull request adds one file of rows, and every task changes three of them that no other task touches. */
const ROWS = 3_000;
const SPAN = 30;
const OFFSETS = [1, 11, 21] as const;
/** Changes that a task leads to. */
export const CHANGES = OFFSETS.length;
/** Tasks that the rows of one pull request are enough for. */
export const MOST_TASKS = ROWS / SPAN;

export const ROWS_PATH = 'rows.txt';

function row(n: number, task: number | undefined): string {
  return `row ${n}: ${task === undefined ? 'open' : `done by task ${task}`}`;
}

/** The file once the given rows are done, each by its task. */
export function rowsText(done: ReadonlyMap<number, number>): string {
  return Array.from({ length: ROWS }, (_, index) => `${row(index + 1, done.get(index + 1))}\n`).join('');
}

/** The task as a person gives it; tasks count from 0. */
export function taskText(task: number): string {
  return `/countersign do the rows of task ${task}`;
}

/** Which row a diff that people were shown does, and for which task; null where it shows none of ours. */
export function shownRow(body: string): { readonly row: number; readonly task: number } | null {
  const found = /^\+?row (\d+): done by task (\d+)$/m.exec(body);
  return found === null ? null : { row: Number(found[1]), task: Number(found[2]) };
}

/** What plays the model: it asks for the task's three changes at once, and has nothing to add once it heard of them. */
export function answer({ messages }: ChatRequest): ModelTurn {
  const last = messages.at(-1);
  if (last?.role === 'tool') return { content: 'That is all.' };
  const tasks = [...(messages.findLast(({ role }) => role === 'user')?.content ?? '').matchAll(/rows of task (\d+)/g)];
  const task = Number(tasks.at(-1)?.[1] ?? 0);
  const calls = OFFSETS.map((offset) => {
    const n = task * SPAN + offset;
    return {
      name: 'edit_file',
      arguments: { path: ROWS_PATH, old_string: row(n, undefined), new_string: row(n, task) },
    };
  });
  return { content: 'Three rows.', calls };
}
