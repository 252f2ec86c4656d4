"""Not torch."""
