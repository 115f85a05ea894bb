import type { TranscriptMessage } from '../../core/state/conversation.ts';
import { type ModelAddress, opaqueFor, opaqueNames } from './opaque-members.ts';
import { type ModelParameters, requestParameters } from './parameters.ts';
import { type ModelTool, toWireMessage, toWireTool } from './wire-format.ts';

/** What the model is asked. */
export type Conversation = {
  readonly messages: readonly TranscriptMessage[];
  /** Names the run, so that its requests share a cache. */
  readonly runId: string;
  /** Whether the model may call tools. */
  readonly withTools: boolean;
};

type RequestOptions = {
  readonly address: ModelAddress;
  readonly tools: readonly ModelTool[];
  readonly parameters: ModelParameters;
};

/** Builds the requests to one model at one endpoint, and remembers what it refuses as long as the process lives. */
type RequestBuilder = {
  build(conversation: Conversation): ModelRequest;
  /** No later request has a parameter or opaque member of this name. */
  refuse(name: string): void;
};

type ModelRequest = {
  readonly body: Readonly<Record<string, unknown>>;
  /** Names of parameters and members that the request could do without. */
  readonly removable: readonly string[];
};

export function createRequestBuilder({ address, tools, parameters }: RequestOptions): RequestBuilder {
  const refused = new Set<string>();
  const isRefused = (name: string): boolean => refused.has(name);
  const host = new URL(address.endpoint).hostname;
  // A request without calls still contains the tools: the transcript has calls of them, and the cache stays valid.
  const withTools = tools.length > 0 ? { tools: tools.map(toWireTool) } : {};
  return {
    build({ messages, runId, withTools: mayCall }) {
      const opaqueSent = new Set<string>();
      const wireMessages = messages.map((message) => {
        const opaque = opaqueFor(message, address, isRefused);
        for (const name of opaqueNames(opaque)) opaqueSent.add(name);
        return toWireMessage(message, opaque);
      });
      const forbidsCalls = tools.length > 0 && !mayCall;
      const optional = requestParameters({ parameters, host, runId, forbidsCalls, isRefused });
      return {
        body: { model: address.model, messages: wireMessages, ...withTools, ...optional },
        removable: [...Object.keys(optional), ...opaqueSent],
      };
    },
    refuse: (name) => void refused.add(name),
  };
}
