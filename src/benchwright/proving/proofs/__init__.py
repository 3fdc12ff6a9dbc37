"""Proofs: golds score 1, an empty answer 0, and the reference solution reproduces the gold from the required files."""

from benchwright.proving.proofs.prove import Opener, ProofOptions, prove
from benchwright.proving.proofs.records import Proof, Step

__all__ = ["Opener", "Proof", "ProofOptions", "Step", "prove"]
