import { type Place, platformWith } from './platform';

/** A platform where not each payment has a flow, and nobody is waited for long. */
export function platformWithFlows(flows: 'waiting' | 'due', env: NodeJS.ProcessEnv = {}): Place {
  return platformWith({
    PAYMENT_FLOWS: flows,
    PAYMENT_FIRST_STEP_LEASE_MS: '3000',
    PROCESSOR_TIMEOUT_MS: '1500',
    PROCESSOR_IN_FLIGHT_MS: '2000',
    PROCESSOR_INQUIRY_FIRST_MS: '200',
    CALLBACK_RETRY_FIRST_MS: '200',
    CALLBACK_RETRY_MAX_MS: '500',
    TEMPORAL_ACCEPT_MS: '1000',
    ...env,
  });
}

/** How the flow of a payment stands, as ops are told. */
export async function standingOf({ actors }: Place, paymentId: string): Promise<string> {
  const { body } = await actors.ops.get(`/ops/1.0.0/flows?workflowId=payment%2F${paymentId}`);
  return body.standing;
}
