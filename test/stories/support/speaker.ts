import type { FakeAccount } from '../../../fakes/github/state/github-state.ts';
import type { FakePerson } from '../../../fakes/people/person.ts';
import type { Posted } from './bot.ts';
import type { Stage } from './stage.ts';

/** A person of a story. Each action takes a few seconds and resolves once the App has finished its work. */
export type Speaker = {
  readonly login: string;
  readonly id: number;
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

export function speaker(stage: Stage, account: FakeAccount, person: FakePerson): Speaker {
  const act = async <Value>(action: () => Value): Promise<Value> => {
    stage.pass(2);
    const value = action();
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
    does: (action) => act(() => action(person)),
  };
}
