import type { TranscriptMessage } from '../../core/state/conversation.ts';
import { isReadingTool, readToolName } from '../../core/state/tools.ts';
import { type ModelAddress, opaqueFor, opaqueNames } from './opaque-members.ts';
import { type ModelParameters, requestParameters } from './parameters.ts';
import { type ModelTool, toWireMessage, toWireTool } from './wire-format.ts';

/** The content of a request to the model. */
export type Conversation = {
  readonly messages: readonly TranscriptMessage[];
  /** Names the run, so that its requests share a cache. */
  readonly runId: string;
  readonly tools: OfferedTools;
};

/** The tools that the model is told of, and whether it may call them now. */
type OfferedTools = 'all' | 'reading' | 'reading-uncallable';

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
  const reading = tools.filter(({ name }) => isReading(name));
  return {
    build({ messages, runId, tools: offered }) {
      // A request without calls still contains the tools: the transcript has calls of them, and the cache stays valid.
      const listed = offered === 'all' ? tools : reading;
      const opaqueSent = new Set<string>();
      const wireMessages = messages.map((message) => {
        const opaque = opaqueFor(message, address, isRefused);
        for (const name of opaqueNames(opaque)) opaqueSent.add(name);
        return toWireMessage(message, opaque);
      });
      const forbidsCalls = listed.length > 0 && offered === 'reading-uncallable';
      const withTools = listed.length > 0 ? { tools: listed.map(toWireTool) } : {};
      const optional = requestParameters({ parameters, host, runId, forbidsCalls, isRefused });
      return {
        body: { model: address.model, messages: wireMessages, ...withTools, ...optional },
        removable: [...Object.keys(optional), ...opaqueSent],
      };
    },
    refuse: (name) => void refused.add(name),
  };
}

function isReading(name: string): boolean {
  const tool = readToolName(name);
  return tool !== null && isReadingTool(tool);
}
