import type { FakePerson } from '../../fakes/people/person.ts';
import { isPending, type Proposal } from '../../src/core/state/proposal.ts';
import type { PullState } from '../../src/core/state/pull-state.ts';
import { type AgentQuestion, isAnswerable } from '../../src/core/state/question.ts';
import { runTests } from './run-tests.ts';
import type { Scene } from './scene.ts';
import type { Answers, Objection, Reviewer } from './tasks/task.ts';

/** More rounds than any task needs. A model that proposes without end is stopped. */
const MAX_ROUNDS = 12;

const MAX_FAILURE_REPORTS = 2;

/**
 * Plays the people after the task was given, until they have nothing left to say. Returns the number of rounds: in each
 * they decide on everything that waits for them.
 */
export async function reviewAll(scene: Scene, reviewer: Reviewer = {}): Promise<number> {
  const nextWords = wordsAfterwards(scene, reviewer);
  const objections = [...(reviewer.objections ?? [])];
  for (let rounds = 0; ; ) {
    const open = listOpenItems(await scene.state());
    if (open.length > 0 && rounds === MAX_ROUNDS) {
      await scene.act(() => scene.people.ana.says('/stop'));
      return rounds;
    }
    if (open.length > 0) {
      rounds += 1;
      await decide(scene, open, objections, reviewer.answers ?? {});
    } else {
      const words = await nextWords();
      if (words === null) return rounds;
      await scene.act(() => scene.people.ana.says(words));
    }
  }
}

/** Something that people are asked to decide or answer. */
type OpenItem =
  | { readonly kind: 'proposal'; readonly proposal: Proposal }
  | { readonly kind: 'question'; readonly question: AgentQuestion };

function listOpenItems({ run, proposals }: PullState): readonly OpenItem[] {
  const questions = (run?.questions ?? []).filter(isAnswerable);
  return [
    ...proposals.filter(isPending).map((proposal) => ({ kind: 'proposal', proposal }) as const),
    ...questions.map((question) => ({ kind: 'question', question }) as const),
  ];
}

/** Objections come first, because an approval of one change can close another one. */
async function decide(scene: Scene, open: readonly OpenItem[], objections: Objection[], answers: Answers) {
  const decisions = open.map((item) => ({ item, objection: takeObjection(item, objections) }));
  const ordered = decisions.toSorted(
    (left, right) => Number(left.objection === null) - Number(right.objection === null),
  );
  for (const { item, objection } of ordered) {
    const stillOpen = listOpenItems(await scene.state()).some((other) => idOf(other) === idOf(item));
    if (stillOpen) await scene.act(() => answerItem(scene.people.ben, item, objection, answers));
  }
}

function idOf(item: OpenItem): string {
  return item.kind === 'proposal' ? item.proposal.id : item.question.id;
}

/** Removes and returns the first objection that fits the change. */
function takeObjection(item: OpenItem, objections: Objection[]): Objection | null {
  if (item.kind === 'question') return null;
  const { change } = item.proposal;
  const shown = JSON.stringify(change).replaceAll('\\n', '\n');
  const place = objections.findIndex(({ about }) => about === undefined || about.test(shown));
  return place === -1 ? null : (objections.splice(place, 1)[0] ?? null);
}

function answerItem(person: FakePerson, item: OpenItem, objection: Objection | null, answers: Answers): void {
  if (item.kind === 'question') person.says(answerCommand(item.question, answers));
  else if (objection === null) person.says(`/approve ${item.proposal.id}`);
  else person.says(`${objection.kind === 'deny' ? '/deny' : '/edit'} ${item.proposal.id}: ${objection.words}`);
}

function answerCommand({ id, input }: AgentQuestion, answers: Answers): string {
  switch (input.type) {
    case 'approval':
      return `${answers.approval === false ? '/reject' : '/approve'} ${id}`;
    case 'choice': {
      const place = input.choices.findIndex((choice) => answers.choice?.test(choice) ?? true);
      return `/choose ${id} ${Math.max(place, 0) + 1}`;
    }
    case 'text':
      return `/answer ${id} ${answers.text ?? 'Please decide yourself.'}`;
  }
}

/** Ana's words to the finished run, one comment for each call; null once she is content. */
function wordsAfterwards(scene: Scene, { afterwards = [], reportsFailures = false }: Reviewer) {
  const left = [...afterwards];
  let reports = 0;
  return async (): Promise<string | null> => {
    const next = left.shift();
    if (next !== undefined) return `@countersign ${next}`;
    if (!reportsFailures || reports === MAX_FAILURE_REPORTS) return null;
    const { passed, output } = await runTests(scene.headFiles());
    if (passed) return null;
    reports += 1;
    return `@countersign with these changes, \`npm test\` fails. Please mend it.\n\n\`\`\`\n${output}\n\`\`\``;
  };
}
