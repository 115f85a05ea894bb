import type { CommandNamed, CommandSyntax } from '../../comments/command-grammar.ts';
import type { CommandHelp } from '../../messages/command-docs.ts';
import type { Need } from '../../state/facts.ts';
import type { CommandName } from '../../state/intent.ts';
import type { Step } from '../../state/step.ts';
import type { CommandContext, CommentContext } from './context.ts';
import type { TargetScope } from './targets.ts';

/** Everything about one command: how it is written, who can use it, what it needs and what it does. */
export type CommandDefinition<Name extends CommandName> = CommandSyntax<Name> &
  CommandHelp & {
    /** The proposals that the command can decide on; absent if it decides on none. */
    readonly decidesOn?: TargetScope;
    /**
     * The next facts for a person with write access, besides their permission; empty or absent if there are enough.
     * Also called for a mention, a reply or a review that means this command.
     */
    readonly needs?: (context: CommentContext) => readonly Need[];
    readonly run: (context: CommandContext, command: CommandNamed<Name>) => Step;
  };
