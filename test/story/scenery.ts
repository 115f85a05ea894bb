import { type ScriptedModel, startScriptedModel } from '../../src/simulator/model/scripted-model.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import type { EnterpriseServer } from '../../src/simulator/world/state.ts';
import { referee } from '../referee.ts';

/** What the App plays in front of: GitHub under its referee's eyes, and a model. */
export type Scenery = { readonly github: Simulator; readonly model: ScriptedModel };

export async function openScenery(now: () => number, server?: EnterpriseServer): Promise<Scenery> {
  const webhookSecret = 'the secret of the stories';
  const github = await startSimulator({ now, referee, webhookSecret, ...(server === undefined ? {} : { server }) });
  const model = await startScriptedModel({ apiKey: 'model-key' });
  model.otherwise({ content: 'All done.' });
  return { github, model };
}
