import { NO_QUOTAS, type QuotaName } from '../../domain/project/quotas.ts';

/** Refusals since the start by quota, for the metrics. */
export const quotaRefusals: Record<QuotaName, number> = { ...NO_QUOTAS };
