import type { FakeAccount } from '../../../fakes/github/state/github-state.ts';
import type { FakePerson } from '../../../fakes/people/person.ts';
import type { Posted } from './bot.ts';
import type { Stage } from './stage.ts';

/** A person of a story. Everything takes a moment, and then the App has done all it will do about it. */
export type Speaker = {
  readonly login: string;
  readonly id: number;
  readonly says: (body: string) => Promise<number>;
  /** In the proposal's thread, or, where it stands in the conversation, as a comment there. */
  readonly replies: (to: Posted, body: string) => Promise<number>;
  readonly commitsSuggestion: (...suggestions: readonly Posted[]) => Promise<string>;
  readonly pushes: (files: Readonly<Record<string, string | Uint8Array | null>>) => Promise<string>;
  /** Whatever else a person can do on GitHub's pages. */
  readonly does: <Value>(deed: (person: FakePerson) => Value) => Promise<Value>;
  /** The simulator's own person, for what must not wait; call `settle` afterwards. */
  readonly person: FakePerson;
};

export function speaker(stage: Stage, account: FakeAccount, person: FakePerson): Speaker {
  const act = async <Value>(deed: () => Value): Promise<Value> => {
    stage.pass(2);
    const value = deed();
    stage.pass(2);
    await stage.settle();
    return value;
  };
  return {
    login: account.login,
    id: account.id,
    person,
    says: (body) => act(() => person.says(body).id),
    replies: (to, body) => act(() => (to.kind === 'issue' ? person.says(body).id : person.replies(to.id, body).id)),
    commitsSuggestion: (...suggestions) => act(() => person.commitsSuggestions(...suggestions.map((one) => one.id))),
    pushes: (files) => act(() => person.pushes(files)),
    does: (deed) => act(() => deed(person)),
  };
}
