import { NO_QUOTAS, type QuotaName } from '../../domain/project/quotas.ts';

/** What was refused since the start because of each quota, for the metrics. */
export const quotaRefusals: Record<QuotaName, number> = { ...NO_QUOTAS };
