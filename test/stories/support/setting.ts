import { type FakeGitHub, startFakeGitHub } from '../../../fakes/github/fake-github.ts';
import type { EnterpriseServer } from '../../../fakes/github/state/github-state.ts';
import { type ScriptedModel, startScriptedModel } from '../../../fakes/model/scripted-model.ts';
import { referee } from '../../support/referee.ts';

/** What the App plays in front of: GitHub under its referee's eyes, and a model. */
export type Scenery = { readonly github: FakeGitHub; readonly model: ScriptedModel };

export async function openScenery(now: () => number, enterpriseServer?: EnterpriseServer): Promise<Scenery> {
  const webhookSecret = 'the secret of the stories';
  const github = await startFakeGitHub({
    now,
    referee,
    webhookSecret,
    ...(enterpriseServer === undefined ? {} : { enterpriseServer }),
  });
  const model = await startScriptedModel({ apiKey: 'model-key' });
  model.setFallback({ content: 'All done.' });
  return { github, model };
}
