/** How far those who got something pay when it is taken back. `give`: nobody pays. `reverse`: they give back what is left of it. */
export const POLICIES = ['give', 'reverse'] as const;
