import type { CommandNamed, CommandSyntax } from '../../comments/command-line.ts';
import type { CommandHelp } from '../../messages/replies.ts';
import type { CommandName } from '../../state/intent.ts';
import type { CommandNeed, Need } from '../../step/facts.ts';
import type { Step } from '../../step/step.ts';
import type { CommandContext, CommentContext } from './context.ts';
import type { TargetScope } from './targets.ts';

/** Everything about one command: how it is written, who can use it, what it needs and what it does. */
export type CommandDefinition<Name extends CommandName> = CommandSyntax<Name> &
  CommandHelp & {
    /** The proposals that the command can decide on; absent if it decides on none. */
    readonly decidesOn?: TargetScope;
    /** The facts for a person who may use it, besides their permission; absent if the command needs none. */
    readonly needs?: CommandNeeds;
    readonly run: (context: CommandContext, command: CommandNamed<Name>) => Step;
  };

/** The facts that a command needs, as people read about them and as the App fetches them. */
type CommandNeeds = {
  /** The condition on which it needs them, to follow “if”. */
  readonly condition: string;
  /** Every kind that `next` can return, in the order of fetching. */
  readonly kinds: readonly CommandNeed[];
  /**
   * The next facts; empty if there are enough. Also called for a mention, a reply or a review that means this command.
   */
  readonly next: (context: CommentContext) => readonly Need[];
};
