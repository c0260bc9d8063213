/** The fields of a log line about a flow and, where the flow is a payment's, the id of the payment. */
export function withPayment(fields: Record<string, unknown>): Record<string, unknown> {
  const { workflowId } = fields;
  const paymentId = typeof workflowId === 'string' ? /^payment\/(pay_.+)$/.exec(workflowId)?.[1] : undefined;
  return paymentId ? { ...fields, paymentId } : fields;
}
