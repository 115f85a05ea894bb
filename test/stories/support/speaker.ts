import type { FakeAccount } from '../../../fakes/github/state/github-state.ts';
import type { FakePerson } from '../../../fakes/people/person.ts';
import type { Posted } from './bot.ts';
import type { Stage } from './stage.ts';

/** A person of a story. Each action takes a few seconds and resolves once the App has finished its work. */
export type Speaker = {
  readonly login: string;
  readonly id: number;
  /** Comments in the conversation; an approval that names no change comes a minute later. */
  readonly says: (body: string) => Promise<number>;
  /** Replies in the proposal's thread, or in the conversation if the proposal is there. */
  readonly replies: (to: Posted, body: string) => Promise<number>;
  readonly commitsSuggestion: (...suggestions: readonly Posted[]) => Promise<string>;
  readonly pushes: (files: Readonly<Record<string, string | Uint8Array | null>>) => Promise<string>;
  /** Any other action of a person on GitHub. */
  readonly does: <Value>(action: (person: FakePerson) => Value) => Promise<Value>;
  /** The fake person, for actions that must not wait; call `settle` afterwards. */
  readonly person: FakePerson;
};

/** People read the page again before they approve what is on it. */
const NAMES_NO_CHANGE = /^\/approve(?: all)?\b(?! [a-z0-9]*\d)/;

const READING_SECONDS = 60;

export function speaker(stage: Stage, account: FakeAccount, person: FakePerson): Speaker {
  const act = async <Value>(action: () => Value): Promise<Value> => {
    stage.pass(2);
    const value = action();
    stage.pass(2);
    await stage.settle();
    return value;
  };
  const says = (body: string): Promise<number> => {
    if (NAMES_NO_CHANGE.test(body)) stage.pass(READING_SECONDS);
    return act(() => person.says(body).id);
  };
  return {
    login: account.login,
    id: account.id,
    person,
    says,
    replies: (to, body) => (to.kind === 'issue' ? says(body) : act(() => person.replies(to.id, body).id)),
    commitsSuggestion: (...suggestions) => act(() => person.commitsSuggestions(...suggestions.map((one) => one.id))),
    pushes: (files) => act(() => person.pushes(files)),
    does: (action) => act(() => action(person)),
  };
}
