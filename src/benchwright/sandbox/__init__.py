"""The machine of one attempt: isolated, limited, and traced."""
